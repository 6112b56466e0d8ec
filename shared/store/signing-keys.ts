import { isoTime } from './iso-time.ts'
import type { Query, Reader } from './open.ts'
import { signingKeys } from './schema/schema.ts'

/** One log that is asked about: by its opaque id, or as that of a tenant. */
export type AskedLog = { log_id: string } | { tenant_id: string }

/** A key, with the sizes of the first and last checkpoint of the log asked about that it signed. */
export interface StoredSigningKey {
  key_id: string
  name: string
  public_key: Buffer
  status: 'next' | 'active' | 'retired' | 'compromised'
  added_at: string
  ended_at: string | null
  first_log_size: number | null
  last_log_size: number | null
}

/** Every key that ever signed, the oldest first. */
export async function readSigningKeys(reader: Reader, log: AskedLog | null): Promise<StoredSigningKey[]> {
  const asked = log === null ? ['', ''] : 'log_id' in log ? [log.log_id, ''] : ['', log.tenant_id]
  const rows = await reader.query<StoredRow>('read_signing_keys', keysSql, asked)
  return rows.map(({ first, last, ...key }) => ({
    ...key,
    first_log_size: first === null ? null : Number(first),
    last_log_size: last === null ? null : Number(last),
  }))
}

type StoredRow = Omit<StoredSigningKey, 'first_log_size' | 'last_log_size'> & {
  first: string | null
  last: string | null
}

const edge = (order: 'asc' | 'desc'): string => `(
  select c.size::text from log_checkpoints c, asked
  where c.tenant_id = asked.tenant_id and c.key_id = k.key_id order by c.size ${order} limit 1
)`

const keysSql = `
with asked as (select tenant_id from tenant_logs where log_id = $1::text or tenant_id = $2::text)
select k.key_id, k.name, k.public_key, k.status, ${isoTime('k.added_at')} as added_at, ${isoTime('k.ended_at')} as ended_at,
  ${edge('asc')} as first, ${edge('desc')} as last
from signing_keys k order by k.added_at, k.key_id`

/** Make a key known before it signs; a key that is known already is left as it is. */
export async function addSigningKey(
  query: Query,
  key: Pick<StoredSigningKey, 'key_id' | 'name' | 'public_key'>,
): Promise<void> {
  await query
    .insert(signingKeys)
    .values({ ...key, status: 'active' })
    .onConflictDoNothing()
}
