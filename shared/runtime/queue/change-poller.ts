import { createLookTimer } from './look-timer.ts'

/**
 * Waits for changes of actions without a connection per waiter. All waiters of the process share one query, which
 * repeats at growing intervals. A hint from the same process runs it at once.
 */
export interface ChangePoller {
  /** Resolves when the action's version differs from `version`, after `ms`, or on `close`. */
  changed(actionId: string, version: number, ms: number): Promise<void>
  hint(actionIds: readonly string[]): void
  /** Ends all waits, so that each waiter answers with the state that it knows. */
  close(): void
  closed(): boolean
  waiting(): number
}

const lookMsMin = 8
const lookMsMax = 200

interface Waiter {
  version: number
  since: number
  wake(): void
}

export interface ChangePollerOptions {
  /** Returns the number of events per action. The number grows with every change. */
  versions(actionIds: string[]): Promise<ReadonlyMap<string, number>>
  now(): number
  onError(error: unknown): void
}

export function createChangePoller(options: ChangePollerOptions): ChangePoller {
  const waiters = new Map<string, Set<Waiter>>()
  let closed = false
  const looks = createLookTimer({
    look: async () => wakeChanged(await options.versions([...waiters.keys()])),
    isIdle: () => waiters.size === 0,
    restMs: () => nextLookMs(),
    now: options.now,
    onError: options.onError,
  })

  const wakeChanged = (versions: ReadonlyMap<string, number>): void => {
    for (const [actionId, version] of versions) {
      for (const waiter of waiters.get(actionId) ?? []) if (waiter.version !== version) waiter.wake()
    }
  }

  /** Returns the time until the next query: a fifth of the youngest wait so far, from 8 to 200 ms. */
  const nextLookMs = (): number => {
    const now = options.now()
    let youngest = Number.POSITIVE_INFINITY
    for (const group of waiters.values())
      for (const { since } of group) youngest = Math.min(youngest, now - since)
    return Math.max(lookMsMin, Math.min(lookMsMax, youngest / 5))
  }

  return {
    changed(actionId, version, ms) {
      if (closed) return Promise.resolve()
      return new Promise(resolve => {
        const group = waiters.get(actionId) ?? new Set()
        const bound = setTimeout(() => waiter.wake(), ms)
        const waiter: Waiter = {
          version,
          since: options.now(),
          wake() {
            clearTimeout(bound)
            group.delete(waiter)
            if (group.size === 0) waiters.delete(actionId)
            resolve()
          },
        }
        waiters.set(actionId, group.add(waiter))
        looks.begin(lookMsMin)
      })
    },
    hint(actionIds) {
      if (actionIds.some(actionId => waiters.has(actionId))) looks.hint()
    },
    closed: () => closed,
    waiting() {
      let count = 0
      for (const group of waiters.values()) count += group.size
      return count
    },
    close() {
      closed = true
      looks.stop()
      for (const group of [...waiters.values()]) for (const waiter of [...group]) waiter.wake()
    },
  }
}
