import type { ActionStatus } from '../../contract/action/action-status.ts'
import type { Reader } from '../postgres/open.ts'
import { optimizationFence } from '../postgres/planner.ts'
import { arrayLiteral } from '../postgres/sql-text.ts'

export const tailPageMax = 100

export interface LogPlace {
  tenant_id: string
  from: number
}

/** An entry of a log with the exact text of its event. `from` is the index at which reading began. */
export interface LogTailEntry extends LogPlace {
  index: number
  /** `config`, or `action/` and the action id. */
  stream: string
  /** Null if the event is missing, because somebody has tampered with the history. */
  event: string | null
  /** The action's status before and after the event; null for an event of the configuration. */
  status_from: ActionStatus | null
  status_to: ActionStatus | null
}

/** Returns up to `tailPageMax` entries of each log in order, beginning at the index `from`. */
export async function readTail(reader: Reader, places: readonly LogPlace[]): Promise<LogTailEntry[]> {
  const rows = await reader.query<TailRow>('read_tail', tailSql, [
    arrayLiteral(places.map(({ tenant_id }) => tenant_id)),
    arrayLiteral(places.map(({ from }) => from)),
  ])
  return rows.map(row => ({ ...row, from: Number(row.from), index: Number(row.index) }))
}

type TailRow = Omit<LogTailEntry, 'from' | 'index'> & { from: string; index: string }

/**
 * Cuts the action's id out of the stream's name before the join, and looks up each event separately. Under
 * row-level security a join by an expression uses no index, so each entry would read all events of all tenants.
 */
const tailSql = `
select p.tenant_id, p.first::text as from, e.index::text, e.stream,
  convert_from(coalesce(a.event, c.event), 'UTF8') as event, a.status_from, a.status_to
from unnest($1::text[], $2::int8[]) as p(tenant_id, first)
cross join lateral (
  select index, stream, sequence, case when stream <> 'config' then substr(stream, 8) end as action_id
  from log_entries
  where tenant_id = p.tenant_id and index >= p.first order by index limit ${tailPageMax}
) e
left join lateral ${optimizationFence(`
  select event, status_from, status_to, tenant_id from action_events
  where action_id = e.action_id and sequence = e.sequence
`)} a on a.tenant_id = p.tenant_id
left join lateral ${optimizationFence(`
  select event from config_events where tenant_id = p.tenant_id and sequence = e.sequence
`)} c on e.action_id is null
order by p.tenant_id, p.first, e.index`

export async function readLogSize(reader: Reader, tenantId: string): Promise<number> {
  const text = 'select size::text from tenant_logs where tenant_id = $1'
  const [row] = await reader.query<{ size: string }>('read_log_size', text, [tenantId])
  return Number(row?.size ?? 0)
}
