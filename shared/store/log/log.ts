import type { Reader, Writer } from '../postgres/open.ts'
import { arrayLiteral } from '../postgres/sql-text.ts'

/**
 * The logs of tenants (specification.md#audit-log, specification.md#audit-in-postgres). Only one sequencer at a
 * time appends to them.
 */

const sequencerLock = 4_701_225_004

/** Takes the right to append until the transaction ends; false if another process has it. */
export async function takeSequencer(writer: Writer): Promise<boolean> {
  const text = 'select pg_try_advisory_xact_lock($1::int8) as taken'
  const [lock] = await writer.query<{ taken: boolean }>('take_sequencer', text, [sequencerLock])
  return lock?.taken ?? false
}

export interface QueuedEvent {
  outbox_id: number
  is_whole: boolean
  tenant_id: string
  stream: string
  sequence: number
  leaf_hash: Buffer
}

/**
 * Returns the oldest `limit` waiting changes with their events in order, except those of some tenants. A change
 * that commits late is taken by a later call, even if its id is smaller.
 */
export async function takeQueued(
  writer: Writer,
  except: readonly string[],
  limit: number,
): Promise<QueuedEvent[]> {
  const rows = await writer.query<QueuedRow>('take_queued', queuedSql, [limit, arrayLiteral(except)])
  return rows.map(row => ({ ...row, outbox_id: Number(row.outbox_id) }))
}

type QueuedRow = Omit<QueuedEvent, 'outbox_id'> & { outbox_id: string }

const queuedSql = `
with taken as (select * from log_outbox where tenant_id not in (select unnest($2::text[])) order by id limit $1::int4)
select t.id as outbox_id, t.tenant_id, t.stream, e.sequence, e.leaf_hash,
  count(e.sequence) over (partition by t.id) = t.event_count as is_whole
from taken t left join lateral (
  select a.sequence, a.leaf_hash from action_events a
  where a.action_id = t.action_id and a.tenant_id = t.tenant_id
    and a.sequence >= t.first_sequence and a.sequence < t.first_sequence + t.event_count
  union all
  select c.sequence, c.leaf_hash from config_events c
  where t.action_id is null and c.tenant_id = t.tenant_id
    and c.sequence >= t.first_sequence and c.sequence < t.first_sequence + t.event_count
) e on true
order by t.id, e.sequence`

export interface LogState {
  tenant_id: string
  log_id: string
  size: number
  root: Buffer
}

/** Creates the missing logs with the given ids, then locks all logs and returns their states. */
export async function lockLogs(
  writer: Writer,
  logs: readonly { tenant_id: string; log_id: string }[],
  emptyRoot: Buffer,
): Promise<LogState[]> {
  const tenants = arrayLiteral(logs.map(({ tenant_id }) => tenant_id))
  await writer.query('make_logs', makeLogsSql, [
    tenants,
    arrayLiteral(logs.map(({ log_id }) => log_id)),
    emptyRoot.toString('hex'),
  ])
  const text = `
    select tenant_id, log_id, size::text, root from tenant_logs
    where tenant_id = any($1::text[]) order by tenant_id for update`
  return (await writer.query<LogRow>('lock_logs', text, [tenants])).map(logState)
}

const makeLogsSql = `
insert into tenant_logs (tenant_id, log_id, root)
select tenant_id, log_id, decode($3, 'hex') from unnest($1::text[], $2::text[]) as t(tenant_id, log_id)
on conflict (tenant_id) do nothing`

type LogRow = Omit<LogState, 'size'> & { size: string }

function logState({ size, ...row }: LogRow): LogState {
  return { ...row, size: Number(size) }
}

export async function readLogsById(reader: Reader, ids: readonly string[]): Promise<LogState[]> {
  const text = 'select tenant_id, log_id, size::text, root from tenant_logs where log_id = any($1::text[])'
  return (await reader.query<LogRow>('read_logs_by_id', text, [arrayLiteral(ids)])).map(logState)
}

export interface LogNode {
  tenant_id: string
  level: number
  index: number
  hash: Buffer
}

export type LogNodeRef = Omit<LogNode, 'hash'>

export async function readNodes(
  statements: Reader | Writer,
  refs: readonly LogNodeRef[],
): Promise<LogNode[]> {
  if (refs.length === 0) return []
  const rows = await statements.query<Omit<LogNode, 'index'> & { index: string }>('read_nodes', nodesSql, [
    arrayLiteral(refs.map(({ tenant_id }) => tenant_id)),
    arrayLiteral(refs.map(({ level }) => level)),
    arrayLiteral(refs.map(({ index }) => index)),
  ])
  return rows.map(({ index, ...row }) => ({ ...row, index: Number(index) }))
}

const nodesSql = `
select n.tenant_id, n.level, n.index::text, n.hash
from unnest($1::text[], $2::int4[], $3::int8[]) as r(tenant_id, level, index)
join log_nodes n using (tenant_id, level, index)`

export interface LogBatch {
  entries: readonly { tenant_id: string; index: number; stream: string; sequence: number }[]
  nodes: readonly LogNode[]
  states: readonly Omit<LogState, 'log_id'>[]
  outbox_ids: readonly number[]
  /** Actions and the number of their events in the log. Each gets a statement if any key may sign. */
  touched: readonly { tenant_id: string; action_id: string; event_count: number }[]
}

export async function appendBatch(writer: Writer, batch: LogBatch): Promise<void> {
  const { entries, nodes, states, outbox_ids, touched } = batch
  await writer.query('append_batch', batchSql, [
    ...columns(entries, ['tenant_id', 'index', 'stream', 'sequence']),
    ...columns(
      nodes.map(({ hash, ...node }) => ({ hash: hash.toString('hex'), ...node })),
      ['tenant_id', 'level', 'index', 'hash'],
    ),
    ...columns(
      states.map(({ root, ...state }) => ({ root: root.toString('hex'), ...state })),
      ['tenant_id', 'size', 'root'],
    ),
    arrayLiteral(outbox_ids),
    ...columns(touched, ['tenant_id', 'action_id', 'event_count']),
  ])
}

/** Returns true for a unique violation: the event, entry or subtree exists already. */
export function isThereAlready(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '23505'
}

function columns<Row extends object>(rows: readonly Row[], names: readonly (keyof Row)[]): string[] {
  return names.map(name => arrayLiteral(rows.map(row => row[name] as string | number)))
}

const batchSql = `
with placed as (
  insert into log_entries (tenant_id, index, stream, sequence)
  select * from unnest($1::text[], $2::int8[], $3::text[], $4::int4[])
),
grown as (
  insert into log_nodes (tenant_id, level, index, hash)
  select tenant_id, level, index, decode(hash, 'hex')
  from unnest($5::text[], $6::int4[], $7::int8[], $8::text[]) as t(tenant_id, level, index, hash)
),
moved as (
  update tenant_logs l set size = t.size, root = decode(t.root, 'hex')
  from unnest($9::text[], $10::int8[], $11::text[]) as t(tenant_id, size, root) where l.tenant_id = t.tenant_id
),
to_sign as (
  insert into unsigned_statements (tenant_id, action_id, event_count)
  select * from unnest($13::text[], $14::text[], $15::int4[])
  where exists (select from signing_keys where status in ('active', 'next'))
)
delete from log_outbox where id = any($12::int8[])`
