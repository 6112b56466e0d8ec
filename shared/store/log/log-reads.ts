import type { Reader } from '../postgres/open.ts'
import { optimizationFence } from '../postgres/planner.ts'
import { isoTime } from '../postgres/sql-text.ts'

export interface LogLag {
  /** Changes that wait for the log, counted up to 100,000, and the age of the oldest in milliseconds. */
  waiting: number
  oldest_ms: number
  /** Logs that have grown since their last checkpoint, counted up to 100,000. */
  unsigned: number
}

export async function logLag(reader: Reader): Promise<LogLag> {
  const text = `
    select (select count(*)::int4 from (select from log_outbox limit 100000) counted) as waiting,
      coalesce((
        select extract(epoch from clock_timestamp() - queued_at)::float8 * 1000 from log_outbox order by id limit 1
      ), 0) as oldest_ms,
      (select count(*)::int4 from (select from tenant_logs where signed_size < size limit 100000) counted) as unsigned`
  const [row] = await reader.query<LogLag>('log_lag', text, [])
  return row ?? { waiting: 0, oldest_ms: 0, unsigned: 0 }
}

/** Returns the latest checkpoint of a tenant's log, with the witness's cosignature if there is one, or null. */
export async function readCheckpoint(
  reader: Reader,
  tenantId: string,
): Promise<{ size: number; note: string; signed_at: string } | null> {
  const text = `
    select c.size::text, c.note || case when l.witnessed_size = c.size then coalesce(l.cosignature, '') else '' end as note,
      ${isoTime('c.signed_at')} as signed_at
    from log_checkpoints c join tenant_logs l using (tenant_id)
    where c.tenant_id = $1 order by c.size desc limit 1`
  const [row] = await reader.query<{ size: string; note: string; signed_at: string }>(
    'read_checkpoint',
    text,
    [tenantId],
  )
  return row ? { ...row, size: Number(row.size) } : null
}

export async function readCheckpointOf(
  reader: Reader,
  tenantId: string,
  size: number,
): Promise<string | null> {
  const text = 'select note from log_checkpoints where tenant_id = $1 and size = $2::int8'
  const [row] = await reader.query<{ note: string }>('read_checkpoint_of', text, [tenantId, size])
  return row?.note ?? null
}

export async function readCursors(reader: Reader, tenantId: string, actionId: string): Promise<number[]> {
  const text = 'select index::text from log_entries where tenant_id = $1 and stream = $2 order by sequence'
  const rows = await reader.query<{ index: string }>('read_places', text, [tenantId, `action/${actionId}`])
  return rows.map(({ index }) => Number(index))
}

/** Returns the signed statement over `eventCount` events, or null. `comes` is true if one waits to be signed. */
export async function readStatement(
  reader: Reader,
  actionId: string,
  eventCount: number,
): Promise<{ note: string | null; comes: boolean }> {
  const text = `
    select (select note from action_statements where action_id = $1 and event_count = $2) as note,
      exists (select from unsigned_statements where action_id = $1) as comes`
  const [row] = await reader.query<{ note: string | null; comes: boolean }>('read_statement', text, [
    actionId,
    eventCount,
  ])
  return row ?? { note: null, comes: false }
}

export async function readEntries(
  reader: Reader,
  tenantId: string,
  from: number,
  end: number,
): Promise<{ index: number; stream: string; sequence: number; hash: Buffer }[]> {
  const text = `
    select e.index::text, e.stream, e.sequence, n.hash
    from log_entries e cross join lateral ${optimizationFence(`
      select hash from log_nodes where tenant_id = e.tenant_id and level = 0 and index = e.index
    `)} n
    where e.tenant_id = $1 and e.index >= $2::int8 and e.index < $3::int8 order by e.index`
  const rows = await reader.query<{ index: string; stream: string; sequence: number; hash: Buffer }>(
    'read_entries',
    text,
    [tenantId, from, end],
  )
  return rows.map(row => ({ ...row, index: Number(row.index) }))
}
