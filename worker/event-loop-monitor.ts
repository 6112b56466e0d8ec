import { monotonicMs } from '../shared/runtime/clock.ts'

export interface EventLoopMonitor {
  /** Returns true if the event loop was blocked for longer than the limit a moment ago, or is still behind. */
  stalled(): boolean
  close(): void
}

const ticksPerLag = 4

/**
 * Watches the event loop, because a process whose loop is blocked renews no lease and must not take further leases
 * until the loop has kept up for a while (specification.md#faults). `lagMsMax` is the longest block that is
 * allowed.
 */
export function monitorEventLoop(lagMsMax: number): EventLoopMonitor {
  const everyMs = lagMsMax / ticksPerLag
  let last = monotonicMs()
  let stalledAt = Number.NEGATIVE_INFINITY
  const look = (): void => {
    const now = monotonicMs()
    if (now - last - everyMs > lagMsMax) stalledAt = now
    last = now
  }
  const timer = setInterval(look, everyMs)
  timer.unref()
  return {
    stalled() {
      const now = monotonicMs()
      return now - last > lagMsMax + everyMs || now - stalledAt < lagMsMax
    },
    close: () => clearInterval(timer),
  }
}
