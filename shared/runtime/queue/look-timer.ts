export interface LookTimerOptions {
  look(): Promise<void>
  /** Nobody waits, so that a look would be for nothing. */
  isIdle(): boolean
  /** Milliseconds from the end of a look, which took so many, to the next. */
  restMs(tookMs: number): number
  now(): number
  onError(error: unknown): void
}

/** One look at a time for everybody who waits in the process, and none while nobody does. */
export interface LookTimer {
  /** Somebody begins to wait: a look comes within `ms`, unless one is set already. */
  begin(ms: number): void
  /** There may be something to see: the look comes now, or directly after the one under way. */
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
