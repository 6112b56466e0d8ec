import { monotonicMs } from '../shared/runtime/clock.ts'

export interface EventLoopMonitor {
  /** Returns true if the event loop is blocked now or was blocked a moment ago for longer than the limit. */
  stalled(): boolean
  close(): void
}

const ticksPerLag = 4

/**
 * Watches for a blocked event loop, because such a process cannot renew its leases (specification.md#faults). It
 * must take no new lease until the loop has kept up for a while. `lagMsMax` is the longest allowed block.
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
