import { and, eq, gt, ne, sql } from 'drizzle-orm'
import type { Query, Reader, Writer } from '../postgres/open.ts'
import { accounts, devices, passwordResets } from '../schema/schema.ts'

/** Stores a reset request for any address, so that the answer does not reveal which addresses have accounts. */
export async function insertReset(
  query: Query,
  { reset_id, email, ms }: { reset_id: string; email: string; ms: number },
): Promise<void> {
  const expires_at = sql`clock_timestamp() + ${ms}::int8 * interval '1 millisecond'`
  await query.insert(passwordResets).values({ reset_id, email, expires_at })
}

export interface DueReset {
  reset_id: string
  email: string
  attempts: number
}

/** Leases due requests for `leaseMs` milliseconds; after a crash they are due again when the lease ends. */
export async function claimResets(writer: Writer, limit: number, leaseMs: number): Promise<DueReset[]> {
  return writer.query<DueReset>('claim_password_resets', claimSql, [limit, leaseMs])
}

const claimSql = `
update password_resets r set attempts = r.attempts + 1,
  next_attempt_at = clock_timestamp() + $2::int8 * interval '1 millisecond'
from (
  select reset_id from password_resets
  where next_attempt_at <= statement_timestamp() and expires_at > statement_timestamp()
  order by next_attempt_at limit $1::int4 for update skip locked
) due
where r.reset_id = due.reset_id
returning r.reset_id, r.email, r.attempts`

export interface AddressAccount {
  account_id: string
  organization_id: string
  organization: string
  has_password: boolean
}

export async function accountsOfAddress(reader: Reader, email: string): Promise<AddressAccount[]> {
  return reader.query<AddressAccount>('accounts_of_address', accountsSql, [email])
}

const accountsSql = `
select a.account_id, a.organization_id, g.name as organization, a.password_hash is not null as has_password
from accounts a join organizations g using (organization_id)
where a.email = $1 and a.membership <> 'removed'
order by a.created_at, a.account_id`

/** Stores the hash of the token before the e-mail is sent. Returns false if the request no longer exists. */
export async function setResetToken(query: Query, resetId: string, tokenHash: Buffer): Promise<boolean> {
  const { reset_id } = passwordResets
  const set = await query
    .update(passwordResets)
    .set({ token_hash: tokenHash })
    .where(eq(reset_id, resetId))
    .returning({ reset_id })
  return set.length > 0
}

/** Schedules the next attempt in `ms` milliseconds; null schedules none. */
export async function putOffReset(query: Query, resetId: string, ms: number | null): Promise<void> {
  const next_attempt_at = ms === null ? null : sql`clock_timestamp() + ${ms}::int8 * interval '1 millisecond'`
  await query.update(passwordResets).set({ next_attempt_at }).where(eq(passwordResets.reset_id, resetId))
}

export async function deleteReset(query: Query, resetId: string): Promise<void> {
  await query.delete(passwordResets).where(eq(passwordResets.reset_id, resetId))
}

export async function findReset(
  query: Query,
  tokenHash: Buffer,
): Promise<{ email: string; expires_at: Date } | null> {
  const { email, expires_at } = passwordResets
  const [row] = await query.select({ email, expires_at }).from(passwordResets).where(isGood(tokenHash))
  return row ?? null
}

/** Deletes a valid link and all others of its address, so that each works once; false if it is invalid. */
export async function takeReset(query: Query, tokenHash: Buffer): Promise<boolean> {
  const { email } = passwordResets
  const [taken] = await query.delete(passwordResets).where(isGood(tokenHash)).returning({ email })
  if (!taken) return false
  await query.delete(passwordResets).where(eq(email, taken.email))
  return true
}

const isGood = (tokenHash: Buffer) =>
  and(eq(passwordResets.token_hash, tokenHash), gt(passwordResets.expires_at, sql`clock_timestamp()`))

/**
 * Replaces a password and deletes the account's known browsers. Returns false if the account has no password, or
 * if another account has the same address and the new password.
 */
export async function replacePassword(
  query: Query,
  { account_id, password_hash }: { account_id: string; password_hash: Buffer },
): Promise<boolean> {
  const { email, organization_id } = accounts
  const own = and(eq(accounts.account_id, account_id), ne(accounts.membership, 'removed'))
  const taken = sql`exists (
    select from ${accounts} o join ${accounts} mine using (email)
    where mine.account_id = ${account_id} and o.account_id <> ${account_id} and o.password_hash = ${password_hash})`
  const changed = await query
    .update(accounts)
    .set({ password_hash })
    .where(and(own, sql`${accounts.password_hash} is not null`, sql`not ${taken}`))
    .returning({ email, organization_id })
  if (changed.length === 0) return false
  await query.delete(devices).where(eq(devices.account_id, account_id))
  return true
}
