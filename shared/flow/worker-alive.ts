import type { Context } from './context.ts'

/** A worker says that it is there with every sweep; one that left out several is not. */
const sweepsMissedMax = 3

/** Milliseconds within which a living worker was seen. */
export function workerAliveMs({ config }: Pick<Context, 'config'>): number {
  return sweepsMissedMax * config.sweep_ms
}
