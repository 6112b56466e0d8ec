import { asSuperuser } from '../servers/superuser.ts'
import type { TestService } from './service.ts'

/** Copies of a held action with all that is kept of it: each with an end and a summary of its own. */
export async function plantHeld(service: TestService, actionId: string, count: number): Promise<void> {
  const copy = async (table: string, more = '', changed: Record<string, string> = {}) => {
    const [stored] = await asSuperuser<{ columns: string }>(
      service.database,
      `select string_agg(column_name, ', ') as columns from information_schema.columns
       where table_schema = 'action_gate' and table_name = '${table}' and is_generated = 'NEVER'`,
    )
    const columns = stored?.columns.split(', ') ?? []
    return `
      insert into action_gate.${table} (${columns.join(', ')})
      select ${columns.map(column => changed[column] ?? `copies.${column}`).join(', ')}
      from action_gate.${table} t, generate_series(1, ${count}) n, jsonb_populate_record(null::action_gate.${table},
        to_jsonb(t) || jsonb_build_object('action_id', 'act_' || lpad(n::text, 36, '0') ${more})) copies
      where t.action_id = '${actionId}'`
  }
  const numbered = (text: string) => `replace(${text}, 'order number', 'order number ' || n)`
  const payload = `convert_to(${numbered("convert_from(copies.payload, 'UTF8')")}, 'UTF8')`
  const end = `, 'held_until', date_trunc('milliseconds', now() + n * interval '1 second')`
  await asSuperuser(
    service.database,
    await copy('action_events'),
    await copy('event_payloads', '', { payload }),
    await copy('actions', `, 'proposal_id', 'copy-' || n ${end}`),
    await copy('held_actions', end, { searched: numbered('copies.searched') }),
    'vacuum analyze',
  )
}
