import { and, asc, eq, inArray, lte, sql } from 'drizzle-orm'
import type { Query } from '../postgres/open.ts'
import { accounts, identities, organizations, signIns } from '../schema/schema.ts'
import type { StoredAccount } from './account-rows.ts'

/** Who somebody is at an issuer. */
export interface StoredIdentity {
  issuer: string
  subject: string
}

export interface NewSignIn {
  state_hash: Buffer
  browser_hash: Buffer
  issuer: string
  organization: string | null
  ms: number
}

export async function insertSignIn(query: Query, { ms, ...signIn }: NewSignIn): Promise<void> {
  const expires_at = sql`clock_timestamp() + ${ms}::int8 * interval '1 millisecond'`
  await query.insert(signIns).values({ ...signIn, expires_at })
}

/** Take a sign-in that this browser began and that has not expired: it is there once. */
export async function takeSignIn(
  query: Query,
  stateHash: Buffer,
  browserHash: Buffer,
): Promise<{ issuer: string; organization: string | null } | null> {
  const { state_hash, browser_hash, issuer, organization, expires_at } = signIns
  const [taken] = await query
    .delete(signIns)
    .where(
      and(eq(state_hash, stateHash), eq(browser_hash, browserHash), sql`${expires_at} > clock_timestamp()`),
    )
    .returning({ issuer, organization })
  return taken ?? null
}

/** Delete sign-ins that nobody came back from, so many at most. */
export async function forgetSignIns(query: Query, limit: number): Promise<void> {
  const over = query
    .select({ hash: signIns.state_hash })
    .from(signIns)
    .where(lte(signIns.expires_at, sql`statement_timestamp()`))
    .orderBy(asc(signIns.expires_at))
    .limit(limit)
  await query.delete(signIns).where(inArray(signIns.state_hash, over))
}

/** The account that somebody at an issuer is known as. */
export async function findIdentity(
  query: Query,
  { issuer, subject }: StoredIdentity,
): Promise<StoredAccount | null> {
  const [row] = await query
    .select()
    .from(identities)
    .innerJoin(accounts, eq(accounts.account_id, identities.account_id))
    .innerJoin(organizations, eq(organizations.organization_id, accounts.organization_id))
    .where(and(eq(identities.issuer, issuer), eq(identities.subject, subject)))
  if (!row) return null
  const { account_id, email, created_at } = row.accounts
  const { organization_id, name } = row.organizations
  return { account_id, email, created_at, organization: { organization_id, name } }
}

/** Whether an identity became this account's; false where it is somebody's already. */
export async function insertIdentity(
  query: Query,
  identity: StoredIdentity & { account_id: string },
): Promise<boolean> {
  const made = await query
    .insert(identities)
    .values(identity)
    .onConflictDoNothing()
    .returning({ account_id: identities.account_id })
  return made.length > 0
}
