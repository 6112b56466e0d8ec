import type { Doorbell } from '../shared/runtime/queue/doorbell.ts'

/** Tells other workers that more is due than was claimed. */
export interface Notifier {
  /** At once, or as soon as the last time is 50 ms ago; `token` is one of the claim. */
  tell(token: number): void
  /** What was to be told later is told now: who stops claims none of it. */
  stop(): void
}

const restMs = 50

/** A claim after another finds that more is due while a backlog lasts, and a ring costs more than the claim of a job. */
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
