import { markWorker as markStored } from '../store/workers.ts'
import type { Context } from './context.ts'

/** Say that a worker is there: once in every sweep interval, however long a sweep takes. */
export async function markWorker(context: Context, workerId: string): Promise<void> {
  await context.store.write('all', writer => markStored(writer, workerId))
}
