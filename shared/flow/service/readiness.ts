import type { Readiness } from '../../contract/service-state-schema.ts'
import { guardTriggers, readGuards } from '../../store/guards/guards.ts'
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

/**
 * Whether triggers, ownership, rights and row-level security stand as they should (specification.md#audit-in-postgres); told in
 * the log and the metrics. A superuser can take them down: what was done then is seen in signed checkpoints only.
 */
export async function checkGuards(context: Context): Promise<void> {
  const { triggers, rights, open_tables, is_above } = await context.store.read('all', readGuards)
  const missing = guardTriggers.filter(name => !triggers.includes(name))
  context.events.guardsChecked([
    ...missing.map(name => `the trigger ${name} does not fire`),
    ...rights.map(right => `the runtime role has ${right}`),
    ...open_tables.map(table => `${table} has no row-level security`),
    ...(is_above ? ['the runtime role is a superuser or passes by row-level security'] : []),
  ])
}
