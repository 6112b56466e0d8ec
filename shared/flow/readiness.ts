import type { Readiness } from '../contract/health.ts'
import { probe } from '../store/open.ts'
import type { Context } from './context.ts'

export { version } from '../runtime/version.ts'

/** Whether the database and the queue can be reached; without the queue accepting still works (contract section 9). */
export async function checkReadiness(context: Context): Promise<Readiness> {
  const database = await reachable(context)
  const queue = context.doorbell.state()
  if (database === 'down') return { status: 'unavailable', checks: { database, queue } }
  return { status: queue === 'ok' ? 'ready' : 'degraded', checks: { database, queue } }
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
