import { sql } from 'drizzle-orm'
import type { Query } from '../postgres/open.ts'
import { optimizationFence } from '../postgres/planner.ts'
import { arrayLiteral } from '../postgres/sql-text.ts'
import { rowsOf } from './audit-walk.ts'

export interface WalkedLog {
  tenant_id: string
  log_id: string
  size: number
  root: Buffer
  signed_size: number
  checkpoint_size: number
  /** True if the log has entries beyond its size; `nodes_beyond` is true if it has such subtrees. */
  entries_beyond: boolean
  nodes_beyond: boolean
}

/** Returns the next tenant's log, or null after the last. One statement reads it, so that its figures agree. */
export async function readNextLog(query: Query, after: string): Promise<WalkedLog | null> {
  const [row] = await rowsOf<LogRow>(
    query,
    sql`select ${logColumns} from action_gate.tenant_logs l where l.tenant_id > ${after} order by l.tenant_id limit 1`,
  )
  return row === undefined ? null : walkedLog(row)
}

export async function readLogOf(query: Query, tenantId: string): Promise<WalkedLog | null> {
  const [row] = await rowsOf<LogRow>(
    query,
    sql`select ${logColumns} from action_gate.tenant_logs l where l.tenant_id = ${tenantId}`,
  )
  return row === undefined ? null : walkedLog(row)
}

export async function readTenantOfLog(query: Query, logId: string): Promise<string | null> {
  const [row] = await rowsOf<{ tenant_id: string }>(
    query,
    sql`select tenant_id from action_gate.tenant_logs where log_id = ${logId}`,
  )
  return row?.tenant_id ?? null
}

const logColumns = sql`l.tenant_id, l.log_id, l.size::text, encode(l.root, 'hex') as root, l.signed_size::text,
  coalesce((select max(c.size) from action_gate.log_checkpoints c where c.tenant_id = l.tenant_id), 0)::text as checkpoint_size,
  exists (select from action_gate.log_entries e where e.tenant_id = l.tenant_id and (e.index >= l.size or e.index < 0)) as entries_beyond,
  exists (
    select from generate_series(0, 52) level where exists (
      select from action_gate.log_nodes n where n.tenant_id = l.tenant_id and n.level = level.level
        and (n.index >= l.size >> level.level or n.index < 0))
  ) or exists (
    select from action_gate.log_nodes n where n.tenant_id = l.tenant_id and (n.level < 0 or n.level > 52)
  ) as nodes_beyond`

type LogRow = Pick<WalkedLog, 'tenant_id' | 'log_id' | 'entries_beyond' | 'nodes_beyond'> &
  Record<'size' | 'root' | 'signed_size' | 'checkpoint_size', string>

function walkedLog({ size, root, signed_size, checkpoint_size, ...row }: LogRow): WalkedLog {
  return {
    ...row,
    size: Number(size),
    root: Buffer.from(root, 'hex'),
    signed_size: Number(signed_size),
    checkpoint_size: Number(checkpoint_size),
  }
}

/** Entries of a log from `from` up to, but not including, `to`. */
export interface LogRange {
  tenant_id: string
  from: number
  to: number
}

export interface LogPage {
  /** The number of entries found, and the first index at which an entry is missing. */
  count: number
  missing: number | null
  eventless: number | null
  /** Leaf hashes of the events in log order. A missing event has 32 zero bytes, so that offsets stay right. */
  leaves: Buffer
  checkpoints: { size: number; note: string }[]
}

/**
 * Returns log entries with the leaf hashes of their events, and the checkpoints whose size ends among them. A
 * checkpoint of size 0 comes with the first entry.
 */
export async function readLogPage(query: Query, { tenant_id, from, to }: LogRange): Promise<LogPage> {
  const [page] = await rowsOf<{
    count: number
    missing: string | null
    eventless: string | null
    leaves: string | null
  }>(
    query,
    sql`select count(*)::int4 as count, min(${from}::int8 + place) filter (where index <> ${from}::int8 + place)::text as missing,
      min(index) filter (where length(leaf) is distinct from 32)::text as eventless,
      encode(string_agg(case length(leaf) when 32 then leaf else decode(repeat('00', 32), 'hex') end, '' order by index), 'hex') as leaves
    from (
      select n.index, row_number() over (order by n.index) - 1 as place, coalesce(a.leaf_hash, c.leaf_hash) as leaf
      from ${optimizationFence(sql`
        select *, substr(stream, 8) as action_id, case stream when 'config' then sequence end as config_sequence
        from action_gate.log_entries
        where tenant_id = ${tenant_id} and index >= ${from}::int8 and index < ${to}::int8
      `)} n
      left join lateral ${optimizationFence(sql`
        select leaf_hash from action_gate.action_events
        where action_id = n.action_id and sequence = n.sequence and tenant_id = n.tenant_id
      `)} a on n.config_sequence is null
      left join lateral ${optimizationFence(sql`
        select leaf_hash from action_gate.config_events
        where tenant_id = n.tenant_id and sequence = n.config_sequence
      `)} c on true
    ) entry`,
  )
  const checkpoints = await rowsOf<{ size: string; note: string }>(
    query,
    sql`select size::text, note from action_gate.log_checkpoints
    where tenant_id = ${tenant_id} and size > ${from === 0 ? -1 : from}::int8 and size <= ${to}::int8`,
  )
  return {
    count: page?.count ?? 0,
    missing: numberOrNull(page?.missing),
    eventless: numberOrNull(page?.eventless),
    leaves: Buffer.from(page?.leaves ?? '', 'hex'),
    checkpoints: checkpoints.map(({ size, note }) => ({ size: Number(size), note })),
  }
}

export interface NodeRange {
  level: number
  start: number
  end: number
}

export async function readNodeRanges(
  query: Query,
  tenantId: string,
  ranges: readonly NodeRange[],
): Promise<ReadonlyMap<number, Buffer>> {
  const rows = await rowsOf<{ level: number; hashes: string }>(
    query,
    sql`select r.level, encode(n.hashes, 'hex') as hashes
    from unnest(${arrayLiteral(ranges.map(({ level }) => level))}::int4[],
      ${arrayLiteral(ranges.map(({ start }) => start))}::int8[],
      ${arrayLiteral(ranges.map(({ end }) => end))}::int8[]) as r(level, start, stop)
    cross join lateral (
      select string_agg(hash, '' order by index) as hashes from action_gate.log_nodes
      where tenant_id = ${tenantId} and level = r.level and index >= r.start and index < r.stop
    ) n where n.hashes is not null`,
  )
  return new Map(rows.map(({ level, hashes }) => [level, Buffer.from(hashes, 'hex')]))
}

/** Reads a page of the outbox. Returns its last id, and the changes for which an event is missing. */
export async function readOutboxPage(
  query: Query,
  after: number,
  limit: number,
): Promise<{ last: number | null; eventless: { id: number; stream: string }[] }> {
  const rows = await rowsOf<{ id: string; stream: string; there: boolean }>(
    query,
    sql`select o.id::text, o.stream, coalesce(a.event_count, t.config_event_count, 0) >= o.first_sequence + o.event_count as there
    from (select * from action_gate.log_outbox where id > ${after}::int8 order by id limit ${limit}::int4) o
    left join lateral ${optimizationFence(sql`
      select * from action_gate.actions where action_id = o.action_id
    `)} a on a.tenant_id = o.tenant_id
    left join lateral ${optimizationFence(sql`
      select * from action_gate.tenants where tenant_id = o.tenant_id
    `)} t on o.action_id is null
    order by o.id`,
  )
  const last = rows.at(-1)
  return {
    last: last === undefined ? null : Number(last.id),
    eventless: rows.filter(({ there }) => !there).map(({ id, stream }) => ({ id: Number(id), stream })),
  }
}

/** Returns the tenants that audit rows name although the tenant or its log does not exist. */
export async function readOrphans(query: Query): Promise<{ table: string; tenant_id: string }[]> {
  const found = []
  for (const [table, parent] of parents) {
    const name = sql.raw(`action_gate.${table}`)
    // The query jumps from tenant to tenant by the primary key, so that a tenant with many rows costs no more.
    const rows = await rowsOf<{ tenant_id: string }>(
      query,
      sql`with recursive known as (
        (select tenant_id from ${name} order by tenant_id limit 1)
        union all
        select (select n.tenant_id from ${name} n where n.tenant_id > k.tenant_id order by n.tenant_id limit 1)
        from known k where k.tenant_id is not null
      )
      select tenant_id from known k where tenant_id is not null
        and not exists (select from ${sql.raw(`action_gate.${parent}`)} p where p.tenant_id = k.tenant_id)`,
    )
    found.push(...rows.map(({ tenant_id }) => ({ table, tenant_id })))
  }
  return found
}

const parents = [
  ['config_events', 'tenants'],
  ['api_keys', 'tenants'],
  ['tenant_logs', 'tenants'],
  ['log_entries', 'tenant_logs'],
  ['log_nodes', 'tenant_logs'],
  ['log_checkpoints', 'tenant_logs'],
] as const

function numberOrNull(text: string | null | undefined): number | null {
  return text === null || text === undefined ? null : Number(text)
}
