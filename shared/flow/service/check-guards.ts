import { guardTriggers, readGuards } from '../../store/guards/guards.ts'
import type { Context } from '../core/context.ts'

/**
 * Whether triggers, ownership, rights and row-level security stand as they should (specification.md#audit-in-postgres); told in
 * the log and the metrics. A superuser can take them down: what was done then is seen in signed checkpoints only.
 */
export async function checkGuards(context: Context): Promise<void> {
  const { triggers, rights, open_tables, is_above } = await context.store.read('all', readGuards)
  const missing = guardTriggers.filter(name => !triggers.includes(name))
  context.events.wallsChecked([
    ...missing.map(name => `the trigger ${name} does not fire`),
    ...rights.map(right => `the runtime role has ${right}`),
    ...open_tables.map(table => `${table} has no row-level security`),
    ...(is_above ? ['the runtime role is a superuser or passes by row-level security'] : []),
  ])
}
