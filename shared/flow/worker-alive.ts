import type { Context } from './context.ts'

/** A worker says at every sweep interval that it is there; one that left out several is not. */
const beatsMissedMax = 3

/** Milliseconds within which a living worker was seen. */
export function workerAliveMs({ config }: Pick<Context, 'config'>): number {
  return beatsMissedMax * config.sweep_ms
}
