import type { Readiness } from '../../contract/service-state-schema.ts'
import { guardTriggers, readGuards } from '../../store/guards/guards.ts'
import { probe } from '../../store/postgres/open.ts'
import type { Context } from '../core/context.ts'

export { version } from '../../runtime/version.ts'

/**
 * Checks database and queue; without the queue proposals are still accepted (specification.md#endpoints). An
 * ending process reports unready first, so that balancers stop sending to it while it serves the rest.
 */
export async function checkReadiness(context: Context): Promise<Readiness> {
  const database = await reachable(context)
  const queue = context.doorbell.state()
  if (database === 'down') return { status: 'unavailable', checks: { database, queue } }
  if (context.ending.signal.aborted) return { status: 'draining', checks: { database, queue } }
  return { status: queue === 'ok' ? 'ready' : 'degraded', checks: { database, queue } }
}

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
 * Checks triggers, ownership, rights and row-level security (specification.md#audit-in-postgres) and reports
 * faults in log and metrics. A superuser can remove these guards; only signed checkpoints show changes made then.
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
