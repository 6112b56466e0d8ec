import type { Writer } from '../postgres/open.ts'
import { arrayLiteral } from '../postgres/sql-text.ts'
import type { LogState } from './log.ts'

/** Stores the signatures of committed data (specification.md#audit-log, specification.md#audit-keys). */

const signerLock = 4_701_225_006

/**
 * Takes the right to sign until the transaction ends, so that one process signs at a time; false if another has
 * it.
 */
export async function takeSigner(writer: Writer): Promise<boolean> {
  const text = 'select pg_try_advisory_xact_lock($1::int8) as taken'
  const [lock] = await writer.query<{ taken: boolean }>('take_signer', text, [signerLock])
  return lock?.taken ?? false
}

export interface UnsignedLog extends LogState {
  signed_size: number
}

/** Locks and returns logs that have grown since their last checkpoint. Leaves out the tenants in `except`. */
export async function readUnsignedLogs(
  writer: Writer,
  except: readonly string[],
  limit: number,
): Promise<UnsignedLog[]> {
  const text = `
    select tenant_id, log_id, size::text, root, signed_size::text from tenant_logs
    where signed_size < size and tenant_id not in (select unnest($1::text[]))
    order by tenant_id limit $2::int4 for update`
  const rows = await writer.query<UnsignedRow>('read_unsigned_logs', text, [arrayLiteral(except), limit])
  return rows.map(row => ({ ...row, size: Number(row.size), signed_size: Number(row.signed_size) }))
}

type UnsignedRow = Omit<UnsignedLog, 'size' | 'signed_size'> & { size: string; signed_size: string }

export interface SignedCheckpoint {
  tenant_id: string
  size: number
  note: string
}

export async function insertCheckpoints(
  writer: Writer,
  checkpoints: readonly SignedCheckpoint[],
  keyIds: readonly string[],
): Promise<void> {
  await writer.query('insert_checkpoints', checkpointsSql, [
    arrayLiteral(checkpoints.map(({ tenant_id }) => tenant_id)),
    arrayLiteral(checkpoints.map(({ size }) => size)),
    arrayLiteral(checkpoints.map(({ note }) => note)),
    arrayLiteral(keyIds),
  ])
}

const checkpointsSql = `
with signed as (select * from unnest($1::text[], $2::int8[], $3::text[]) as t(tenant_id, size, note)),
kept as (
  insert into log_checkpoints (tenant_id, size, note) select tenant_id, size, note from signed
),
moved as (
  update tenant_logs l set signed_size = s.size from signed s where l.tenant_id = s.tenant_id
)
insert into log_keys as k (tenant_id, key_id, first_size, last_size)
select s.tenant_id, key_id, s.size, s.size from signed s cross join unnest($4::text[]) as key_id
on conflict (tenant_id, key_id) do update set
  first_size = coalesce(k.first_size, excluded.first_size), last_size = excluded.last_size`

export interface SignedStatement {
  tenant_id: string
  action_id: string
  event_count: number
  note: string
}

export async function insertStatements(
  writer: Writer,
  statements: readonly SignedStatement[],
): Promise<void> {
  await writer.query('insert_statements', statementsSql, [
    arrayLiteral(statements.map(({ tenant_id }) => tenant_id)),
    arrayLiteral(statements.map(({ action_id }) => action_id)),
    arrayLiteral(statements.map(({ event_count }) => event_count)),
    arrayLiteral(statements.map(({ note }) => note)),
  ])
}

const statementsSql = `
with signed as (
  select * from unnest($1::text[], $2::text[], $3::int4[], $4::text[]) as t(tenant_id, action_id, event_count, note)
),
kept as (
  insert into action_statements (tenant_id, action_id, event_count, note)
  select tenant_id, action_id, event_count, note from signed on conflict do nothing
)
delete from unsigned_statements u using signed s
where u.action_id = s.action_id and u.event_count = s.event_count`
