import type { Doorbell } from '../shared/runtime/queue/doorbell.ts'

export interface Notifier {
  /** Wakes another worker, but not within 50 ms of the last wake-up. `token` comes from the claim. */
  tell(token: number): void
  /** Sends a delayed wake-up now, because this worker stops and leaves the remaining jobs to other workers. */
  stop(): void
}

const restMs = 50

/**
 * Limits wake-ups to one per 50 ms. In a backlog every claim finds more jobs, and a wake-up costs more than a
 * claim.
 */
export function createNotifier({ ring }: Pick<Doorbell, 'ring'>): Notifier {
  let untold: number | null = null
  let resting: NodeJS.Timeout | undefined
  const tellNow = (): void => {
    clearTimeout(resting)
    resting = undefined
    if (untold === null) return
    ring([{ id: `more-${untold}`, delayMs: 0 }])
    untold = null
    resting = setTimeout(tellNow, restMs).unref()
  }
  return {
    tell(token) {
      untold = token
      if (!resting) tellNow()
    },
    stop: tellNow,
  }
}
