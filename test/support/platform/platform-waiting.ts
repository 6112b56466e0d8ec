import { setTimeout as delay } from 'node:timers/promises'

const lookMs = 20
const waitMsMax = 20_000

/** The first answer of `look` that is not null; an error that names what was waited for when none comes in time. */
export async function eventually<Found>(
  what: string,
  look: () => Promise<Found | null> | Found | null,
  msMax: number = waitMsMax,
): Promise<Found> {
  const tooLate = AbortSignal.timeout(msMax)
  for (;;) {
    const found = await look()
    if (found !== null) return found
    if (tooLate.aborted) throw new Error(`waited ${msMax} ms in vain until ${what}`)
    await delay(lookMs)
  }
}

/** Do `work` for every item, at most `limit` at once; answers in the order of the items. */
export async function forEachOf<Item, Done>(
  items: readonly Item[],
  limit: number,
  work: (item: Item) => Promise<Done>,
): Promise<Done[]> {
  const done: Done[] = []
  const rest = items.entries()
  const workOff = async () => {
    for (const [at, item] of rest) done[at] = await work(item)
  }
  await Promise.all(Array.from({ length: limit }, workOff))
  return done
}
