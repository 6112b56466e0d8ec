import { and, asc, eq, ne, sql } from 'drizzle-orm'
import type { Query } from '../postgres/open.ts'
import {
  accounts,
  identities,
  organizationGroupMembers,
  organizations,
  sessions,
  signIns,
} from '../schema/schema.ts'
import type { StoredAccount } from './account-rows.ts'
import { holdOrganization } from './member-rows.ts'

export interface StoredIdentity {
  issuer: string
  subject: string
}

export interface NewSignIn {
  state_hash: Buffer
  browser_hash: Buffer
  issuer: string
  organization: string | null
  account_id: string | null
  invitation_hash: Buffer | null
  ms: number
}

export async function insertSignIn(query: Query, { ms, ...signIn }: NewSignIn): Promise<void> {
  const expires_at = sql`clock_timestamp() + ${ms}::int8 * interval '1 millisecond'`
  await query.insert(signIns).values({ ...signIn, expires_at })
}

export type TakenSignIn = Pick<NewSignIn, 'issuer' | 'organization' | 'account_id' | 'invitation_hash'>

/** Deletes and returns an unexpired sign-in that this browser began. The deletion makes it usable only once. */
export async function takeSignIn(
  query: Query,
  stateHash: Buffer,
  browserHash: Buffer,
): Promise<TakenSignIn | null> {
  const { state_hash, browser_hash, expires_at, ...taking } = signIns
  const { issuer, organization, account_id, invitation_hash } = taking
  const [taken] = await query
    .delete(signIns)
    .where(
      and(eq(state_hash, stateHash), eq(browser_hash, browserHash), sql`${expires_at} > clock_timestamp()`),
    )
    .returning({ issuer, organization, account_id, invitation_hash })
  return taken ?? null
}

export async function findIdentity(
  query: Query,
  { issuer, subject }: StoredIdentity,
): Promise<StoredAccount | null> {
  const [row] = await query
    .select()
    .from(identities)
    .innerJoin(accounts, eq(accounts.account_id, identities.account_id))
    .innerJoin(organizations, eq(organizations.organization_id, accounts.organization_id))
    .where(
      and(eq(identities.issuer, issuer), eq(identities.subject, subject), ne(accounts.membership, 'removed')),
    )
  if (!row) return null
  const { account_id, email, created_at } = row.accounts
  const { organization_id, name } = row.organizations
  return { account_id, email, created_at, organization: { organization_id, name } }
}

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

export async function listIdentities(
  query: Query,
  accountId: string,
): Promise<(StoredIdentity & { created_at: Date })[]> {
  const { issuer, subject, account_id, created_at } = identities
  return query
    .select({ issuer, subject, created_at })
    .from(identities)
    .where(eq(account_id, accountId))
    .orderBy(asc(created_at), asc(issuer), asc(subject))
}

/**
 * Locks the account's organization, then reads the account again, since another transaction may have changed it.
 */
export async function holdLinks(
  query: Query,
  accountId: string,
): Promise<{ has_password: boolean; is_member: boolean }> {
  const read = async () => {
    const [account] = await query.select().from(accounts).where(eq(accounts.account_id, accountId))
    if (!account) throw new Error(`there is no account ${accountId}`)
    return account
  }
  await holdOrganization(query, (await read()).organization_id)
  const { password_hash, membership } = await read()
  return { has_password: password_hash !== null, is_member: membership !== 'removed' }
}

/** Deletes an identity, its sessions and the groups from its claims; returns the number of sessions. */
export async function deleteIdentity(
  query: Query,
  { issuer, subject, account_id }: StoredIdentity & { account_id: string },
): Promise<number> {
  const own = (table: typeof identities | typeof sessions) =>
    and(eq(table.issuer, issuer), eq(table.subject, subject), eq(table.account_id, account_id))
  await query.delete(identities).where(own(identities))
  const claimed = organizationGroupMembers
  await query
    .delete(claimed)
    .where(and(eq(claimed.issuer, issuer), eq(claimed.subject, subject), eq(claimed.account_id, account_id)))
  const ended = await query.delete(sessions).where(own(sessions)).returning({ account: sessions.account_id })
  return ended.length
}
