import { and, eq, inArray, isNull, or, sql } from 'drizzle-orm'
import type { OperatorRole } from '../../contract/operator-schema.ts'
import type { Query, Reader, Writer } from '../postgres/open.ts'
import { isoTime } from '../postgres/sql-text.ts'
import { operatorSessions, operatorSignIns } from '../schema/schema.ts'
import { lockFairly } from './fair-lock.ts'
import { inMs, noLater, originOf, type SessionOrigin } from './session-rows.ts'

export interface StoredOperatorSession {
  operator_id: string
  label: string
  role: OperatorRole
  issuer: string
  subject: string
  auth_time: string | null
  acr: string | null
  expires_at: string
  idle_expires_at: string
  idle_left_ms: number
  now: string
}

/** Returns null if the session has ended or its operator was removed. */
export async function findOperatorSession(
  reader: Reader,
  sessionHash: Buffer,
): Promise<StoredOperatorSession | null> {
  const values = [sessionHash.toString('hex')]
  const [row] = await reader.query<StoredOperatorSession>('find_operator_session', findSql, values)
  return row ?? null
}

const findSql = `
select o.operator_id, o.label, o.role, s.issuer, s.subject, ${isoTime('s.auth_time')} as auth_time, s.acr,
  ${isoTime('s.expires_at')} as expires_at, ${isoTime('s.idle_expires_at')} as idle_expires_at,
  (extract(epoch from s.idle_expires_at - clock_timestamp()) * 1000)::int8::float8 as idle_left_ms,
  ${isoTime('clock_timestamp()')} as now
from operator_sessions s join operators o using (operator_id)
where s.session_hash = decode($1, 'hex') and s.expires_at > clock_timestamp() and s.idle_expires_at > clock_timestamp()
  and o.removed_at is null`

/** Extends a session and returns its new idle end; null if the session has ended. */
export async function touchOperatorSession(
  writer: Writer,
  sessionHash: Buffer,
  idleMs: number,
): Promise<string | null> {
  const values = [sessionHash.toString('hex'), idleMs]
  const [row] = await writer.query<{ idle_expires_at: string }>('touch_operator_session', touchSql, values)
  return row?.idle_expires_at ?? null
}

const touchSql = `
update operator_sessions
set idle_expires_at = least(expires_at, clock_timestamp() + $2::int8 * interval '1 millisecond')
where session_hash = decode($1, 'hex') and expires_at > clock_timestamp() and idle_expires_at > clock_timestamp()
returning ${isoTime('idle_expires_at')} as idle_expires_at`

export interface NewOperatorSession {
  session_hash: Buffer
  operator_id: string
  idle_ms: number
  ms_max: number
  identity: SessionOrigin
}

/** Begins a session. An operator has at most 50, so the oldest session ends if there would be more. */
export async function insertOperatorSession(
  query: Query,
  { session_hash, operator_id, idle_ms, ms_max, identity }: NewOperatorSession,
): Promise<{ expires_at: Date; idle_expires_at: Date }> {
  const { issuer, subject } = identity
  const spare = query
    .select({ hash: operatorSessions.session_hash })
    .from(operatorSessions)
    .where(eq(operatorSessions.operator_id, operator_id))
    .orderBy(sql`${operatorSessions.created_at} desc`)
    .offset(sessionsPerOperatorMax - 1)
  await query.delete(operatorSessions).where(inArray(operatorSessions.session_hash, spare))
  const [made] = await query
    .insert(operatorSessions)
    .values({
      ...originOf(identity),
      issuer,
      subject,
      session_hash,
      operator_id,
      expires_at: noLater(inMs(ms_max), identity),
      idle_expires_at: noLater(inMs(Math.min(idle_ms, ms_max)), identity),
    })
    .returning()
  if (!made) throw new Error('the session was not stored')
  return made
}

const sessionsPerOperatorMax = 50

export async function endOperatorSession(query: Query, sessionHash: Buffer): Promise<number> {
  return ended(query, eq(operatorSessions.session_hash, sessionHash))
}

export async function endOperatorSessions(query: Query, operatorId: string): Promise<number> {
  return ended(query, eq(operatorSessions.operator_id, operatorId))
}

/** Ends operators' sessions after a logout at the issuer, by the rules of `endSessionsElsewhere`. */
export async function endOperatorsElsewhere(
  query: Query,
  { issuer, subject, sid }: { issuer: string; subject: string | null; sid: string | null },
): Promise<number> {
  const named = sid === null ? undefined : eq(operatorSessions.sid, sid)
  const ofPerson = subject === null ? undefined : eq(operatorSessions.subject, subject)
  const which = ofPerson ? and(ofPerson, named && or(named, isNull(operatorSessions.sid))) : named
  return ended(query, and(eq(operatorSessions.issuer, issuer), which))
}

async function ended(query: Query, which: ReturnType<typeof and>): Promise<number> {
  const { operator_id } = operatorSessions
  await lockFairly(
    query,
    sql`select distinct ${operator_id} from ${operatorSessions} where ${which} order by 1`,
  )
  return (await query.delete(operatorSessions).where(which).returning({ operator_id })).length
}

export interface NewOperatorSignIn {
  state_hash: Buffer
  browser_hash: Buffer
  issuer: string
  invitation_hash: Buffer | null
  ms: number
}

export async function insertOperatorSignIn(
  query: Query,
  { ms, ...signIn }: NewOperatorSignIn,
): Promise<void> {
  await query.insert(operatorSignIns).values({ ...signIn, expires_at: inMs(ms) })
}

/** Deletes and returns an unexpired sign-in that this browser began. The deletion makes it usable only once. */
export async function takeOperatorSignIn(
  query: Query,
  stateHash: Buffer,
  browserHash: Buffer,
): Promise<Pick<NewOperatorSignIn, 'issuer' | 'invitation_hash'> | null> {
  const { state_hash, browser_hash, expires_at, issuer, invitation_hash } = operatorSignIns
  const own = and(eq(state_hash, stateHash), eq(browser_hash, browserHash))
  const [taken] = await query
    .delete(operatorSignIns)
    .where(and(own, sql`${expires_at} > clock_timestamp()`))
    .returning({ issuer, invitation_hash })
  return taken ?? null
}
