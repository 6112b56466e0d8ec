export interface LookTimerOptions {
  look(): Promise<void>
  /** Returns true if there is no waiter, so that a query would be wasted. */
  isIdle(): boolean
  restMs(tookMs: number): number
  now(): number
  onError(error: unknown): void
}

/** Runs one query at a time for all waiters of the process, and none while no waiter exists. */
export interface LookTimer {
  /** Schedules a query within `ms`, unless one is scheduled already. */
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
