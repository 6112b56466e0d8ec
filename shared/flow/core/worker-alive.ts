import { countWorkers } from '../../store/job/workers.ts'
import type { Context } from './context.ts'

/** A worker says at every sweep interval that it is there; one that left out several is not. */
const beatsMissedMax = 3

/** Milliseconds within which a living worker was seen. */
export function workerAliveMs({ config }: Pick<Context, 'config'>): number {
  return beatsMissedMax * config.sweep_ms
}

/** Whether any worker lives, as far as the database was told. */
export async function isWorkerSeen(context: Context): Promise<boolean> {
  return (await context.store.read('all', reader => countWorkers(reader, workerAliveMs(context)))) > 0
}
