import type { Writer } from '../postgres/open.ts'
import { optimizationFence } from '../postgres/planner.ts'
import { arrayLiteral } from '../postgres/sql-text.ts'

/** Reads the data to sign from the tables (specification.md#audit-in-postgres). */

export interface EntryRange {
  tenant_id: string
  from: number
  to: number
}

/**
 * Returns the leaf hashes of the events that the entries name, concatenated per tenant. If an entry or event is
 * missing, there are fewer hashes than entries.
 */
export async function readEntryLeaves(
  writer: Writer,
  ranges: readonly EntryRange[],
): Promise<ReadonlyMap<string, Buffer>> {
  const rows = await writer.query<{ tenant_id: string; leaves: Buffer | null }>(
    'read_entry_leaves',
    leavesSql,
    [
      arrayLiteral(ranges.map(({ tenant_id }) => tenant_id)),
      arrayLiteral(ranges.map(({ from }) => from)),
      arrayLiteral(ranges.map(({ to }) => to)),
    ],
  )
  return new Map(rows.map(({ tenant_id, leaves }) => [tenant_id, leaves ?? Buffer.alloc(0)]))
}

/**
 * Computes the action's id before the join, because under row-level security a join by an expression uses no
 * index. The planner does not know the ranges; the limit keeps it from reading the whole table.
 */
const leavesSql = `
select n.tenant_id, string_agg(coalesce(a.leaf_hash, c.leaf_hash), '' order by n.index) as leaves
from ${optimizationFence(`
  select e.tenant_id, e.index, e.sequence, substr(e.stream, 8) as action_id,
    case e.stream when 'config' then e.sequence end as config_sequence
  from unnest($1::text[], $2::int8[], $3::int8[]) as r(tenant_id, start, stop)
  cross join lateral (
    select * from log_entries where tenant_id = r.tenant_id and index >= r.start and index < r.stop
    order by index limit r.stop - r.start
  ) e
`)} n
left join lateral ${optimizationFence(`
  select leaf_hash from action_events
  where action_id = n.action_id and sequence = n.sequence and tenant_id = n.tenant_id
`)} a on n.config_sequence is null
left join lateral ${optimizationFence(`
  select leaf_hash from config_events where tenant_id = n.tenant_id and sequence = n.config_sequence
`)} c on true
group by n.tenant_id`

export async function readCheckpointsAt(
  writer: Writer,
  logs: readonly { tenant_id: string; signed_size: number }[],
): Promise<{ tenant_id: string; note: string }[]> {
  const text = `
    select c.tenant_id, c.note from unnest($1::text[], $2::int8[]) as l(tenant_id, size)
    join log_checkpoints c using (tenant_id, size)`
  return writer.query('read_checkpoints_at', text, [
    arrayLiteral(logs.map(({ tenant_id }) => tenant_id)),
    arrayLiteral(logs.map(({ signed_size }) => signed_size)),
  ])
}

export interface AskedStatement {
  tenant_id: string
  action_id: string
  event_count: number
  /** Leaf hashes of all events of the action so far, concatenated; null if the tenant has no such action. */
  leaf_hashes: Buffer | null
  /** The log's leaf hashes of the first `event_count` events, concatenated; null if the log has none. */
  logged: Buffer | null
  /** The highest log index of these events; -1 if the log has none. */
  last_index: number
  size: number
  signed_size: number
}

export async function readUnsignedStatements(
  writer: Writer,
  except: readonly string[],
  limit: number,
): Promise<AskedStatement[]> {
  const parameters = [arrayLiteral(except), limit]
  const rows = await writer.query<AskedRow>('read_unsigned_statements', statementsSql, parameters)
  return rows.map(({ last_index, size, signed_size, ...row }) => ({
    ...row,
    last_index: Number(last_index ?? -1),
    size: Number(size ?? 0),
    signed_size: Number(signed_size ?? 0),
  }))
}

type AskedRow = Omit<AskedStatement, 'last_index' | 'size' | 'signed_size'> &
  Record<'last_index' | 'size' | 'signed_size', string | null>

/**
 * Looks up rows one by one. A plan made while the log was empty lasts for minutes, and would otherwise read the
 * whole log or all actions of a tenant for each statement.
 */
const statementsSql = `
select u.tenant_id, u.action_id, u.event_count, a.leaf_hashes, e.logged, e.last_index::text, l.size::text, l.signed_size::text
from (
  select *, 'action/' || action_id as stream from unsigned_statements
  where tenant_id not in (select unnest($1::text[])) limit $2::int4
) u
left join lateral ${optimizationFence(`
  select tenant_id, leaf_hashes from actions where action_id = u.action_id
`)} a on a.tenant_id = u.tenant_id
left join tenant_logs l on l.tenant_id = u.tenant_id
cross join lateral (
  select string_agg(n.hash, '' order by e.index) as logged, max(e.index) as last_index
  from (
    select index from log_entries where tenant_id = u.tenant_id and stream = u.stream and sequence < u.event_count
    order by sequence limit u.event_count
  ) e
  cross join lateral ${optimizationFence(`
    select hash from log_nodes where tenant_id = u.tenant_id and level = 0 and index = e.index
  `)} n
) e`
