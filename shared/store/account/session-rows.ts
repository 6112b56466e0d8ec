import { and, eq, inArray, isNull, or, type SQL, sql } from 'drizzle-orm'
import type { MemberRole } from '../../contract/role-schema.ts'
import type { Query, Reader, Writer } from '../postgres/open.ts'
import { arrayLiteral, isoTime } from '../postgres/sql-text.ts'
import { accounts, devices, logoutTokens, sessions } from '../schema/schema.ts'
import { lockFairly } from './fair-lock.ts'

/** A session that has not ended, with the account's roles in one tenant. Times are ISO 8601. */
export interface StoredSession {
  account_id: string
  email: string
  account_created_at: string
  organization_id: string
  organization_name: string
  expires_at: string
  idle_expires_at: string
  idle_left_ms: number
  owner: boolean
  /** Comma-separated roles; empty if the account has no role or the tenant belongs to another organization. */
  tenant_roles: string
  /** The issuer; null after a sign-in with a password, as are `subject`, `auth_time` and `acr`. */
  issuer: string | null
  subject: string | null
  auth_time: string | null
  acr: string | null
  now: string
}

/** Returns the session with its account, organization and roles in one query; null if the session has ended. */
export async function findSession(
  reader: Reader,
  sessionHash: Buffer,
  tenantId: string | null,
): Promise<StoredSession | null> {
  const [row] = await reader.query<StoredSession>('find_session', findSql, [
    sessionHash.toString('hex'),
    tenantId,
  ])
  return row ?? null
}

const findSql = `
select a.account_id, a.email, ${isoTime('a.created_at')} as account_created_at,
  a.organization_id, g.name as organization_name,
  s.issuer, s.subject, ${isoTime('s.auth_time')} as auth_time, s.acr,
  ${isoTime('s.expires_at')} as expires_at, ${isoTime('s.idle_expires_at')} as idle_expires_at,
  (extract(epoch from s.idle_expires_at - clock_timestamp()) * 1000)::int8::float8 as idle_left_ms,
  a.membership = 'owner' as owner,
  (select coalesce(string_agg(case when a.membership = 'owner' then 'owner' else m.role end, ','), '')
   from tenant_owners o left join member_roles m on m.tenant_id = o.tenant_id and m.account_id = a.account_id
   where o.tenant_id = $2 and o.organization_id = a.organization_id) as tenant_roles,
  ${isoTime('clock_timestamp()')} as now
from sessions s join accounts a using (account_id) join organizations g using (organization_id)
where s.session_hash = decode($1, 'hex') and s.expires_at > clock_timestamp() and s.idle_expires_at > clock_timestamp()
  and a.membership <> 'removed'`

/** Extends a session and returns its new idle end; null if the session has ended. */
export async function touchSession(
  writer: Writer,
  sessionHash: Buffer,
  idleMs: number,
): Promise<string | null> {
  const [row] = await writer.query<{ idle_expires_at: string }>('touch_session', touchSql, [
    sessionHash.toString('hex'),
    idleMs,
  ])
  return row?.idle_expires_at ?? null
}

const touchSql = `
update sessions
set idle_expires_at = least(expires_at, clock_timestamp() + $2::int8 * interval '1 millisecond')
where session_hash = decode($1, 'hex') and expires_at > clock_timestamp() and idle_expires_at > clock_timestamp()
returning ${isoTime('idle_expires_at')} as idle_expires_at`

/**
 * Locks a session until the transaction ends; returns null unless it is valid and its account has one of `roles`.
 * No lock on the roles is needed, because losing a role deletes the account's sessions.
 */
export async function holdSession(
  writer: Writer,
  sessionHash: Buffer,
  { tenant_id, roles }: { tenant_id: string; roles: readonly MemberRole[] },
): Promise<string | null> {
  const [row] = await writer.query<{ account_id: string }>('hold_session', holdSql, [
    sessionHash.toString('hex'),
    tenant_id,
    arrayLiteral(roles),
  ])
  return row?.account_id ?? null
}

/** Returns an SQL condition: the account has one of `roles` in the tenant, or owns the tenant's organization. */
export function hasRole(account: string, tenant: string, roles: string): string {
  return `exists (
    select from accounts a join tenant_owners o using (organization_id)
    where a.account_id = ${account} and o.tenant_id = ${tenant} and (a.membership = 'owner' or exists (
      select from member_roles m
      where m.account_id = a.account_id and m.tenant_id = ${tenant} and m.role = any(${roles}::text[]) and a.membership = 'member'))
  )`
}

const holdSql = `
select s.account_id from sessions s
where s.session_hash = decode($1, 'hex') and s.expires_at > clock_timestamp() and s.idle_expires_at > clock_timestamp()
  and ${hasRole('s.account_id', '$2', '$3')}
for share of s`

export interface NewSession {
  session_hash: Buffer
  account_id: string
  idle_ms: number
  ms_max: number
  identity: SessionOrigin | null
}

/** A sign-in at an issuer. `auth_time` and `ends` are in milliseconds since 1970. */
export interface SessionOrigin {
  issuer: string
  subject: string
  auth_time: number | null
  acr: string | null
  sid: string | null
  ends: number | null
}

/** Begins a session. An account has at most 50, so the oldest session ends if there would be more. */
export async function insertSession(
  query: Query,
  { session_hash, account_id, idle_ms, ms_max, identity }: NewSession,
): Promise<{ expires_at: Date; idle_expires_at: Date }> {
  const spare = query
    .select({ hash: sessions.session_hash })
    .from(sessions)
    .where(eq(sessions.account_id, account_id))
    .orderBy(sql`${sessions.created_at} desc`)
    .offset(sessionsPerAccountMax - 1)
  await query.delete(sessions).where(inArray(sessions.session_hash, spare))
  const [made] = await query
    .insert(sessions)
    .values({
      session_hash,
      account_id,
      expires_at: noLater(inMs(ms_max), identity),
      idle_expires_at: noLater(inMs(Math.min(idle_ms, ms_max)), identity),
      ...originOf(identity),
    })
    .returning()
  if (!made) throw new Error('the session was not stored')
  return made
}

const sessionsPerAccountMax = 50

export async function endSession(query: Query, sessionHash: Buffer): Promise<number> {
  return ended(query, eq(sessions.session_hash, sessionHash))
}

/** Locks a session. Transactions lock credentials before other rows, because they could deadlock otherwise. */
export async function lockSession(query: Query, sessionHash: Buffer): Promise<void> {
  await lockAll(query, eq(sessions.session_hash, sessionHash))
}

export async function lockSessions(query: Query, accountId: string): Promise<void> {
  await lockAll(query, eq(sessions.account_id, accountId))
}

export async function endAllSessions(query: Query, accountId: string): Promise<number> {
  return ended(query, eq(sessions.account_id, accountId))
}

/**
 * Ends the sessions that a logout at the issuer covers: all sessions of a subject, or those with one `sid`. A
 * session without a stored `sid` ends with any logout of its subject, because the logout may concern it.
 */
export async function endSessionsElsewhere(
  query: Query,
  { issuer, subject, sid }: { issuer: string; subject: string | null; sid: string | null },
): Promise<number> {
  const named = sid === null ? undefined : eq(sessions.sid, sid)
  const which =
    subject === null ? named : and(eq(sessions.subject, subject), named && or(named, isNull(sessions.sid)))
  return ended(query, and(eq(sessions.issuer, issuer), which))
}

async function ended(query: Query, which: SQL | undefined): Promise<number> {
  await lockAll(query, which)
  const { account_id } = sessions
  return (await query.delete(sessions).where(which).returning({ account_id })).length
}

async function lockAll(query: Query, which: SQL | undefined): Promise<void> {
  const { session_hash, account_id } = sessions
  await lockFairly(query, sql`select distinct ${account_id} from ${sessions} where ${which} order by 1`)
  await query.select({ session_hash }).from(sessions).where(which).orderBy(session_hash).for('update')
}

/** Stores a logout token until it expires, so that a replay is recognised. Returns false for a replay. */
export async function keepLogoutToken(
  query: Query,
  { issuer, jti_hash, ms }: { issuer: string; jti_hash: Buffer; ms: number },
): Promise<boolean> {
  const kept = await query
    .insert(logoutTokens)
    .values({ issuer, jti_hash, expires_at: inMs(ms) })
    .onConflictDoNothing()
    .returning({ issuer: logoutTokens.issuer })
  return kept.length > 0
}

/** Remembers a browser of an account. An account has at most 50; the browser that expires first makes room. */
export async function insertDevice(
  query: Query,
  { device_hash, account_id, ms }: { device_hash: Buffer; account_id: string; ms: number },
): Promise<void> {
  const spare = query
    .select({ hash: devices.device_hash })
    .from(devices)
    .where(eq(devices.account_id, account_id))
    .orderBy(sql`${devices.expires_at} desc`)
    .offset(devicesPerAccountMax - 1)
  await query.delete(devices).where(inArray(devices.device_hash, spare))
  await query.insert(devices).values({ device_hash, account_id, expires_at: inMs(ms) })
}

const devicesPerAccountMax = 50

export async function findDevice(query: Query, deviceHash: Buffer, email: string): Promise<string | null> {
  const [row] = await query
    .select({ account_id: devices.account_id })
    .from(devices)
    .innerJoin(accounts, eq(accounts.account_id, devices.account_id))
    .where(
      and(
        eq(devices.device_hash, deviceHash),
        eq(accounts.email, email),
        sql`${devices.expires_at} > clock_timestamp()`,
      ),
    )
  return row?.account_id ?? null
}

export async function deleteDevice(query: Query, deviceHash: Buffer): Promise<void> {
  await query.delete(devices).where(eq(devices.device_hash, deviceHash))
}

export function originOf(identity: SessionOrigin | null) {
  if (identity === null) return {}
  const { issuer, subject, auth_time, acr, sid } = identity
  return { issuer, subject, auth_time: auth_time === null ? null : new Date(auth_time), acr, sid }
}

/** Returns `end`, or the time at which the issuer ends the session if that time is earlier. */
export function noLater(end: SQL, identity: SessionOrigin | null): SQL {
  const ends = identity?.ends ?? null
  return ends === null ? end : sql`least(${end}, ${new Date(ends).toISOString()}::timestamptz)`
}

export function inMs(ms: number) {
  return sql`clock_timestamp() + ${ms}::int8 * interval '1 millisecond'`
}
