import type { OperatorRole } from '../../contract/operator-schema.ts'
import type { MemberRole } from '../../contract/role-schema.ts'
import type { Writer } from '../postgres/open.ts'
import { arrayLiteral } from '../postgres/sql-text.ts'
import { holdingFairly, isHeld } from './fair-lock.ts'
import { hasRole } from './session-rows.ts'

/** Locks a key until the transaction ends, so that it cannot be revoked; null if there is no such key. */
export async function holdAuthorKey(
  writer: Writer,
  keyId: string,
): Promise<{ revoked: boolean; expired: boolean } | null> {
  const [row] = await writer.query<{ revoked: boolean; expired: boolean }>('hold_author_key', keySql, [keyId])
  return row ?? null
}

const keySql = `
${holdingFairly('select $1::text')}
select k.revoked_at is not null as revoked, coalesce(k.expires_at <= clock_timestamp(), false) as expired
from api_keys k where k.key_id = $1 and ${isHeld} for share of k`

/**
 * Locks a session until the transaction ends; returns true if it is valid and its account has one of `roles`. No
 * lock on the roles is needed, because losing a role deletes the account's sessions. With a null `tenant_id` the
 * account must be an owner; null `roles` require no role.
 */
export async function holdAuthorSession(
  writer: Writer,
  sessionHash: Buffer,
  { tenant_id, roles }: { tenant_id: string | null; roles: readonly MemberRole[] | null },
): Promise<boolean> {
  const rows = await writer.query('hold_author_session', sessionSql, [
    sessionHash.toString('hex'),
    tenant_id,
    roles && arrayLiteral(roles),
  ])
  return rows.length > 0
}

const sessionSql = `
${holdingFairly("select account_id from sessions where session_hash = decode($1, 'hex')")}
select s.session_hash from sessions s join accounts a using (account_id)
where s.session_hash = decode($1, 'hex') and s.expires_at > clock_timestamp() and s.idle_expires_at > clock_timestamp()
  and a.membership <> 'removed' and ${isHeld}
  and ($3::text[] is null or case when $2::text is null then a.membership = 'owner' else ${hasRole('s.account_id', '$2', '$3')} end)
for key share of s`

/** Returns the role of an operator with a valid session; locks both until the transaction ends. */
export async function holdAuthorOperator(writer: Writer, sessionHash: Buffer): Promise<OperatorRole | null> {
  const [row] = await writer.query<{ role: OperatorRole }>('hold_author_operator', operatorSql, [
    sessionHash.toString('hex'),
  ])
  return row?.role ?? null
}

const operatorSql = `
${holdingFairly("select operator_id from operator_sessions where session_hash = decode($1, 'hex')")}
select o.role from operator_sessions s join operators o using (operator_id)
where s.session_hash = decode($1, 'hex') and s.expires_at > clock_timestamp() and s.idle_expires_at > clock_timestamp()
  and o.removed_at is null and ${isHeld}
for key share of s for share of o`
