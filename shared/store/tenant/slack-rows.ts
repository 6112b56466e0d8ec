import { and, eq, gt, isNotNull, lte, sql } from 'drizzle-orm'
import type { MemberRole } from '../../contract/role-schema.ts'
import type { SlackIdentity } from '../../contract/slack-schema.ts'
import type { Query, Writer } from '../postgres/open.ts'
import { arrayLiteral } from '../postgres/sql-text.ts'
import { accounts, slackApps, slackLinks, slackRequests } from '../schema/schema.ts'

export type StoredSlackApp = typeof slackApps.$inferSelect

export async function readSlackApp(
  query: Query,
  tenantId: string,
): Promise<(StoredSlackApp & { now_ms: number }) | null> {
  const now_ms = sql<number>`(extract(epoch from clock_timestamp()) * 1000)::float8`
  const [found] = await query
    .select({ app: slackApps, now_ms })
    .from(slackApps)
    .where(eq(slackApps.tenant_id, tenantId))
  return found ? { ...found.app, now_ms: found.now_ms } : null
}

/** Writes or replaces the Slack app of a tenant. Deletes all links of accounts to Slack users. */
export async function writeSlackApp(
  query: Query,
  app: Omit<StoredSlackApp, 'registered_at'>,
): Promise<StoredSlackApp> {
  await query.delete(slackLinks).where(eq(slackLinks.tenant_id, app.tenant_id))
  const { team_id, sealed_secret } = app
  const [written] = await query
    .insert(slackApps)
    .values(app)
    .onConflictDoUpdate({
      target: slackApps.tenant_id,
      set: { team_id, sealed_secret, registered_at: sql`clock_timestamp()` },
    })
    .returning()
  if (!written) throw new Error('the Slack app was not stored')
  return written
}

export async function deleteSlackApp(query: Query, tenantId: string): Promise<StoredSlackApp | null> {
  await query.delete(slackLinks).where(eq(slackLinks.tenant_id, tenantId))
  const [deleted] = await query.delete(slackApps).where(eq(slackApps.tenant_id, tenantId)).returning()
  return deleted ?? null
}

/** Records a request and deletes those that are too old. Returns false if the request is a replay. */
export async function keepSlackRequest(
  query: Query,
  { ms, ...request }: { tenant_id: string; request_hash: Buffer; ms: number },
): Promise<boolean> {
  const { tenant_id, expires_at } = slackRequests
  await query
    .delete(slackRequests)
    .where(and(eq(tenant_id, request.tenant_id), lte(expires_at, sql`clock_timestamp()`)))
  const kept = await query
    .insert(slackRequests)
    .values({ ...request, expires_at: inMs(ms) })
    .onConflictDoNothing()
    .returning({ tenant_id })
  return kept.length > 0
}

export interface LinkRef {
  tenant_id: string
  account_id: string
}

export interface StoredSlackLink {
  account_id: string
  email: string
  owner: boolean
  user_id: string
  linked_at: Date
}

/** Replaces the code of an account and keeps its link. Returns the time at which the code expires. */
export async function writeSlackCode(
  query: Query,
  { ms, code_hash, ...ref }: LinkRef & { code_hash: Buffer; ms: number },
): Promise<Date> {
  const code = { code_hash, code_expires_at: inMs(ms) }
  const [written] = await query
    .insert(slackLinks)
    .values({ ...ref, ...code })
    .onConflictDoUpdate({ target: [slackLinks.tenant_id, slackLinks.account_id], set: code })
    .returning({ expires_at: slackLinks.code_expires_at })
  if (!written?.expires_at) throw new Error('the code was not stored')
  return written.expires_at
}

/** Links the user who sent a valid code, and deletes the code, so that it works once; null for an invalid code. */
export async function linkByCode(
  query: Query,
  { tenant_id, code_hash, user_id }: { tenant_id: string; code_hash: Buffer; user_id: string },
): Promise<string | null> {
  const linked = { user_id, linked_at: sql`clock_timestamp()`, code_hash: null, code_expires_at: null }
  const isGood = and(
    eq(slackLinks.tenant_id, tenant_id),
    eq(slackLinks.code_hash, code_hash),
    gt(slackLinks.code_expires_at, sql`clock_timestamp()`),
  )
  const [row] = await query
    .update(slackLinks)
    .set(linked)
    .where(isGood)
    .returning({ account_id: slackLinks.account_id })
  return row?.account_id ?? null
}

export async function findSlackLink(
  query: Query,
  { tenant_id, ...whose }: { tenant_id: string } & ({ account_id: string } | { user_id: string }),
): Promise<StoredSlackLink | null> {
  const own =
    'account_id' in whose
      ? eq(slackLinks.account_id, whose.account_id)
      : eq(slackLinks.user_id, whose.user_id)
  const [row] = await query
    .select()
    .from(slackLinks)
    .innerJoin(accounts, eq(accounts.account_id, slackLinks.account_id))
    .where(and(eq(slackLinks.tenant_id, tenant_id), own, isNotNull(slackLinks.user_id)))
  const { user_id, linked_at } = row?.slack_links ?? {}
  if (!row || !user_id || !linked_at) return null
  const { account_id, email, membership } = row.accounts
  return { account_id, email, owner: membership === 'owner', user_id, linked_at }
}

/** Returns the tenants in which an account has a link or an unused code. */
export async function linkedTenants(query: Query, accountId: string): Promise<string[]> {
  const rows = await query
    .select({ tenant_id: slackLinks.tenant_id })
    .from(slackLinks)
    .where(eq(slackLinks.account_id, accountId))
    .orderBy(slackLinks.tenant_id)
  return rows.map(({ tenant_id }) => tenant_id)
}

export async function deleteSlackLink(query: Query, { tenant_id, account_id }: LinkRef): Promise<void> {
  await query
    .delete(slackLinks)
    .where(and(eq(slackLinks.tenant_id, tenant_id), eq(slackLinks.account_id, account_id)))
}

/**
 * Locks a Slack link until the transaction ends, so that it cannot be removed before. Returns true if its account
 * has one of `roles` in the tenant. No lock on the roles is needed, because losing a role deletes the link.
 */
export async function holdSlackLink(
  writer: Writer,
  { team_id, user_id }: SlackIdentity,
  { tenant_id, account_id, roles }: LinkRef & { roles: readonly MemberRole[] },
): Promise<boolean> {
  const values = [tenant_id, account_id, team_id, user_id, arrayLiteral(roles)]
  const rows = await writer.query('hold_slack_link', holdSql, values)
  return rows.length > 0
}

const holdSql = `
select from slack_links l
where l.tenant_id = $1 and l.account_id = $2 and l.user_id = $4
  and exists (select from slack_apps p where p.tenant_id = l.tenant_id and p.team_id = $3)
  and exists (
    select from accounts a join tenant_owners o using (organization_id)
    where a.account_id = l.account_id and o.tenant_id = $1 and (a.membership = 'owner' or exists (
      select from member_roles m
      where m.account_id = a.account_id and m.tenant_id = $1 and m.role = any($5::text[]) and a.membership = 'member'))
  )
for share of l`

function inMs(ms: number) {
  return sql<Date>`clock_timestamp() + ${ms}::int8 * interval '1 millisecond'`
}
