import { createLookTimer } from './look-timer.ts'

/** A follower's position in a log: the index of the first entry that the follower has not received. */
export interface Place {
  tenant_id: string
  from: number
}

/**
 * Waits for logs to grow without a connection per follower. All followers of the process share one query, a few
 * times a second. A hint from the same process runs it at once.
 */
export interface LogPoller<Entry extends Place> {
  /** Resolves with the entries from a position on. Resolves with none after `ms`, on abort or on `close`. */
  after(place: Place, ms: number, givenUp: AbortSignal): Promise<readonly Entry[]>
  hint(tenantIds: readonly string[]): void
  close(): void
}

const lookMsMin = 250
/** The poller pauses four times as long as a query took, so that a slow database gets fewer queries. */
const restFactor = 4
const lookMsMax = 1_000

export interface LogPollerOptions<Entry> {
  read(places: readonly Place[]): Promise<readonly Entry[]>
  now(): number
  onError(error: unknown): void
}

export function createLogPoller<Entry extends Place>({
  read,
  now,
  onError,
}: LogPollerOptions<Entry>): LogPoller<Entry> {
  type Wake = (entries: readonly Entry[]) => void
  const groups = new Map<string, { place: Place; waiters: Set<Wake> }>()
  const looks = createLookTimer({
    look: async () => deliver(await read([...groups.values()].map(({ place }) => place))),
    isIdle: () => groups.size === 0,
    restMs: tookMs => Math.max(lookMsMin, Math.min(lookMsMax, restFactor * tookMs)),
    now,
    onError,
  })

  const deliver = (entries: readonly Entry[]): void => {
    const pages = new Map<string, Entry[]>()
    for (const entry of entries) {
      const key = keyOf(entry)
      const page = pages.get(key)
      if (page) page.push(entry)
      else pages.set(key, [entry])
    }
    for (const [key, page] of pages) wake(groups.get(key)?.waiters, page)
  }

  const wake = (waiters: ReadonlySet<Wake> = new Set(), page: readonly Entry[] = []): void => {
    for (const waiter of [...waiters]) waiter(page)
  }

  const join = (place: Place, waiter: Wake): (() => void) => {
    const key = keyOf(place)
    const group = groups.get(key) ?? { place, waiters: new Set() }
    groups.set(key, group)
    group.waiters.add(waiter)
    return () => {
      group.waiters.delete(waiter)
      if (group.waiters.size === 0 && groups.get(key) === group) groups.delete(key)
    }
  }

  return {
    after(place, ms, givenUp) {
      return new Promise(resolve => {
        if (givenUp.aborted) return resolve([])
        const end: Wake = page => {
          clearTimeout(bound)
          givenUp.removeEventListener('abort', nothing)
          leave()
          resolve(page)
        }
        const nothing = (): void => end([])
        const leave = join(place, end)
        const bound = setTimeout(nothing, ms)
        givenUp.addEventListener('abort', nothing)
        looks.begin(lookMsMin)
      })
    },
    hint(tenantIds) {
      const grown = new Set(tenantIds)
      if ([...groups.values()].some(({ place }) => grown.has(place.tenant_id))) looks.hint()
    },
    close() {
      looks.stop()
      for (const { waiters } of [...groups.values()]) wake(waiters)
    },
  }
}

function keyOf({ tenant_id, from }: Place): string {
  return `${from} ${tenant_id}`
}
