import { monotonicMs } from '../shared/runtime/clock.ts'

/** Whether the event loop of this process keeps up. */
export interface EventLoopMonitor {
  /** It stood still for longer than was allowed, not long ago. */
  stalled(): boolean
  close(): void
}

const ticksPerLag = 4

/**
 * A process whose loop stands still renews no lease: it must not take further ones until the loop has kept up for a while
 * (specification.md#faults). `lagMsMax` is how long it may stand still.
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
