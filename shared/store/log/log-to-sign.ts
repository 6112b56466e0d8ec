import type { Writer } from '../postgres/open.ts'
import { optimizationFence } from '../postgres/planner.ts'
import { arrayLiteral } from '../postgres/sql-text.ts'

/** What the tables say of that which is to be signed, read before it is (specification.md#audit-in-postgres). */

/** Entries of a log from an index on up to another, without it. */
export interface EntryRange {
  tenant_id: string
  from: number
  to: number
}

/**
 * Leaf hashes of the events that these entries name, one after another, by tenant; one range a tenant. An entry that is not
 * there, or whose event is not, leaves nothing: the hashes are then fewer than the entries.
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
 * Under row-level security an expression is no condition for an index, so that it is computed before the join; the limit
 * keeps the planner, which does not know the ranges, from reading the whole table.
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

/** The checkpoints of logs at these sizes, as far as they are there. */
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

/** An action of which a statement is asked for, as the table of actions and the log of its tenant have it. */
export interface AskedStatement {
  tenant_id: string
  action_id: string
  event_count: number
  /** Of all its events so far, one after another; null where the tenant has no such action. */
  leaf_hashes: Buffer | null
  /** Of as many of its events as are asked for, as the log has them in its order; null where it has none. */
  logged: Buffer | null
  /** The highest index of these in the log; -1 for none. */
  last_index: number
  /** Entries of the log, and how many of them were signed. */
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

/** A plan that was made while the log was empty goes on for minutes, and would read all of it, or all of a tenant's actions, for each. */
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
