import { sql } from 'drizzle-orm'
import type { AuditKey } from '../../contract/action/audit-log.ts'
import type { Query, Reader, Writer } from '../postgres/open.ts'
import { arrayLiteral, isoTime } from '../postgres/sql-text.ts'
import { logKeys } from '../schema/schema.ts'

/** A log, named by its opaque id or by its tenant. */
export type AskedLog = { log_id: string } | { tenant_id: string }

type RosterKey = Pick<AuditKey, 'key_id' | 'status'>
type KeyStatus = AuditKey['status']

export interface NamedKey {
  key_id: string
  name: string
  public_key: Buffer
}

/** A key. The sizes are those of the first and the last checkpoint that it signed in the requested log. */
export interface StoredSigningKey extends NamedKey, RosterKey {
  added_at: string
  ended_at: string | null
  first_log_size: number | null
  last_log_size: number | null
}

/** Keys and the log to which their sizes refer; null if no log was requested or it does not exist. */
export interface StoredSigningKeys {
  log_id: string | null
  keys: StoredSigningKey[]
}

export async function readSigningKeys(
  reader: Reader | Writer,
  log: AskedLog | null,
): Promise<StoredSigningKeys> {
  const asked = log === null ? ['', ''] : 'log_id' in log ? [log.log_id, ''] : ['', log.tenant_id]
  const rows = await reader.query<StoredRow>('read_signing_keys', keysSql, asked)
  const keys = rows.map(({ log_id: _, first, last, ...key }) => ({
    ...key,
    first_log_size: first === null ? null : Number(first),
    last_log_size: last === null ? null : Number(last),
  }))
  return { log_id: rows[0]?.log_id ?? null, keys }
}

type StoredRow = Omit<StoredSigningKey, 'first_log_size' | 'last_log_size'> & {
  log_id: string | null
  first: string | null
  last: string | null
}

/** Looks up the log by each name separately. Before PostgreSQL 18, one condition on both names reads every log. */
const keysSql = `
select k.key_id, k.name, k.public_key, k.status, ${isoTime('k.added_at')} as added_at, ${isoTime('k.ended_at')} as ended_at,
  l.log_id, s.first_size::text as first, s.last_size::text as last
from signing_keys k
left join (
  select log_id, tenant_id from tenant_logs where log_id = $1::text
  union all
  select log_id, tenant_id from tenant_logs where tenant_id = $2::text
) l on true
left join log_keys s on s.tenant_id = l.tenant_id and s.key_id = k.key_id
order by k.added_at, k.key_id`

export async function signingKeyThere(reader: Reader): Promise<boolean> {
  const text = `select exists (select from signing_keys where status in ('next', 'active')) as there`
  const [row] = await reader.query<{ there: boolean }>('signing_key_there', text, [])
  return row?.there ?? false
}

const rosterLock = 4_701_225_005

/** Adds keys and sets the statuses from `plan`, which gets the known keys by age. A lock keeps changes apart. */
export async function changeKeys(
  writer: Writer,
  own: readonly NamedKey[],
  plan: (known: readonly RosterKey[]) => readonly RosterKey[],
): Promise<void> {
  await writer.query('lock_roster', 'select pg_advisory_xact_lock($1::int8)', [rosterLock])
  const known = await writer.query<RosterKey>(
    'read_roster',
    'select key_id, status from signing_keys order by added_at, key_id',
    [],
  )
  const planned = plan(known)
  const status = (id: string): KeyStatus => planned.find(({ key_id }) => key_id === id)?.status ?? 'next'
  await writer.query('add_keys', addSql, [
    arrayLiteral(own.map(({ key_id }) => key_id)),
    arrayLiteral(own.map(({ name }) => name)),
    arrayLiteral(own.map(({ public_key }) => public_key.toString('hex'))),
    arrayLiteral(own.map(({ key_id }) => status(key_id))),
  ])
  await writer.query('change_keys', changeSql, [
    arrayLiteral(planned.map(({ key_id }) => key_id)),
    arrayLiteral(planned.map(({ status }) => status)),
  ])
}

/** Adds a millisecond per key, so that keys that are added together keep their order. */
const addSql = `
insert into signing_keys (key_id, name, public_key, status, added_at)
select key_id, name, decode(public_key, 'hex'), status, clock_timestamp() + place * interval '1 millisecond'
from unnest($1::text[], $2::text[], $3::text[], $4::text[]) with ordinality as t(key_id, name, public_key, status, place)
on conflict (key_id) do nothing`

const changeSql = `
update signing_keys k set status = t.status,
  ended_at = case when t.status in ('retired', 'compromised') then coalesce(k.ended_at, clock_timestamp()) end
from unnest($1::text[], $2::text[]) as t(key_id, status)
where k.key_id = t.key_id and k.status <> t.status`

/** Returns the keys that may sign, and locks their statuses until the transaction ends. */
export async function holdSigningKeys(writer: Writer, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const text = `
    select key_id from signing_keys where key_id = any($1::text[]) and status in ('next', 'active')
    order by key_id for share`
  const rows = await writer.query<{ key_id: string }>('hold_signing_keys', text, [arrayLiteral(ids)])
  return new Set(rows.map(({ key_id }) => key_id))
}

/** A key whose present status is not yet recorded in the tenant's log. */
export interface UntoldKey extends NamedKey {
  tenant_id: string
  status: KeyStatus
  told_status: KeyStatus | null
}

/** Leaves out ended keys that the log never recorded, because the log need not record their end. */
export async function readUntold(reader: Reader, tenantIds: readonly string[]): Promise<UntoldKey[]> {
  const text = `
    select t.tenant_id, k.key_id, k.name, k.public_key, k.status, l.told_status
    from unnest($1::text[]) as t(tenant_id) cross join signing_keys k
    left join log_keys l on l.tenant_id = t.tenant_id and l.key_id = k.key_id
    where l.told_status is distinct from k.status
      and (l.told_status is not null or k.status in ('next', 'active'))
    order by t.tenant_id, k.added_at, k.key_id`
  return reader.query('read_untold', text, [arrayLiteral(tenantIds)])
}

/** Marks a key's status as recorded in the log; false if the log got another status since the key was read. */
export async function markTold(
  query: Query,
  { tenant_id, key_id, status, told_status }: UntoldKey,
): Promise<boolean> {
  const marked = await query
    .insert(logKeys)
    .values({ tenant_id, key_id, told_status: status })
    .onConflictDoUpdate({
      target: [logKeys.tenant_id, logKeys.key_id],
      set: { told_status: status },
      setWhere: sql`${logKeys.told_status} is not distinct from ${told_status}`,
    })
    .returning({ key_id: logKeys.key_id })
  return marked.length > 0
}
