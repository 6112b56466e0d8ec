import { setImmediate } from 'node:timers/promises'
import { ServiceError } from '../contract/errors.ts'
import type { Slices } from '../contract/slices.ts'
import { monotonicMs } from '../runtime/clock.ts'
import type { Events } from '../runtime/events.ts'
import { createLane } from '../runtime/lane.ts'

/** Does work slice by slice; `gone` says that nobody waits for it any more: it is then given up. */
export type InSlices = <Value>(work: Slices<Value>, gone?: () => boolean) => Promise<Value>

/** The work stops by itself every few milliseconds; what is left of a slice it may go on with. */
const sliceMs = 8

/** Works under way at once in a process; others wait for their turn. */
const atOnce = 2

/** One for a process: however many ask, few works share the event loop, and each gives it back soon. */
export function createInSlices({ proved, proving }: Pick<Events, 'proved' | 'proving'>): InSlices {
  const lane = createLane<() => Promise<unknown>, unknown>({
    size_max: 1,
    lanes: atOnce,
    run: works => Promise.all(works.map(work => work())),
  })
  return async <Value>(work: Slices<Value>, gone = () => false) =>
    (await lane(async () => {
      proving(1)
      const driven = await drive(work, gone).finally(() => proving(-1))
      proved(driven.tookMs, driven.longestMs)
      return driven.value
    })) as Value
}

async function drive<Value>(work: Slices<Value>, gone: () => boolean) {
  const beganMs = monotonicMs()
  let longestMs = 0
  for (;;) {
    const sliceBeganMs = monotonicMs()
    let step = work.next()
    while (!step.done && monotonicMs() - sliceBeganMs < sliceMs) step = work.next()
    const nowMs = monotonicMs()
    longestMs = Math.max(longestMs, nowMs - sliceBeganMs)
    if (step.done) return { value: step.value, tookMs: nowMs - beganMs, longestMs }
    await setImmediate()
    if (gone()) throw new ServiceError('internal_error', 'nobody waits for the answer any more')
  }
}
