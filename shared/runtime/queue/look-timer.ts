export interface LookTimerOptions {
  look(): Promise<void>
  /** Returns true if there is no waiter. A query would then be wasted. */
  isIdle(): boolean
  restMs(tookMs: number): number
  now(): number
  onError(error: unknown): void
}

/** Repeats one query for all waiters of the process. No query runs while there is no waiter. */
export interface LookTimer {
  /** Schedules a query in `ms`, unless a query is scheduled already. */
  begin(ms: number): void
  hint(): void
  stop(): void
}

export function createLookTimer({ look, isIdle, restMs, now, onError }: LookTimerOptions): LookTimer {
  let timer: NodeJS.Timeout | undefined
  let looking = false
  let hinted = false

  const run = async (): Promise<void> => {
    const begun = now()
    timer = undefined
    looking = true
    hinted = false
    try {
      await look()
    } catch (error) {
      onError(error)
    } finally {
      looking = false
      set(hinted ? 0 : restMs(now() - begun))
    }
  }

  const set = (ms: number): void => {
    if (looking || isIdle()) return
    clearTimeout(timer)
    timer = setTimeout(() => void run(), ms)
  }

  return {
    begin(ms) {
      if (!timer) set(ms)
    },
    hint() {
      hinted = true
      set(0)
    },
    stop: () => clearTimeout(timer),
  }
}
