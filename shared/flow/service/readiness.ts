import type { Readiness } from '../../contract/health.ts'
import { probe } from '../../store/postgres/open.ts'
import type { Context } from '../core/context.ts'

export { version } from '../../runtime/version.ts'

/**
 * Whether the database and the queue can be reached; without the queue accepting still works (specification.md#endpoints). A
 * process that ends says so first: what is sent to it meanwhile is served, and nothing more should be.
 */
export async function checkReadiness(context: Context): Promise<Readiness> {
  const database = await reachable(context)
  const queue = context.doorbell.state()
  if (database === 'down') return { status: 'unavailable', checks: { database, queue } }
  if (context.ending.signal.aborted) return { status: 'draining', checks: { database, queue } }
  return { status: queue === 'ok' ? 'ready' : 'degraded', checks: { database, queue } }
}

/** The status of the answer: 503 where nothing is to be sent to this process. */
export function readinessStatus({ status }: Readiness): 200 | 503 {
  return status === 'ready' || status === 'degraded' ? 200 : 503
}

async function reachable(context: Context): Promise<'ok' | 'down'> {
  try {
    await Promise.all([probe(context.store), probe(context.keys)])
    return 'ok'
  } catch (error) {
    context.events.failed('readiness', error)
    return 'down'
  }
}
