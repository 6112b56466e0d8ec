import type { Context } from './context.ts'

const overdueMsMin = 10_000
const sweepsMax = 3

/** A job that is due for longer was missed by several sweeps. */
export function overdueMs({ config }: Context): number {
  return Math.max(overdueMsMin, sweepsMax * config.sweep_ms)
}
