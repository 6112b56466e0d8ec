import { and, desc, eq, isNull, lt, or, sql } from 'drizzle-orm'
import type { TimeCursor } from '../../contract/endpoints/paging.ts'
import type { OperatorRole } from '../../contract/operator-schema.ts'
import type { Query } from '../postgres/open.ts'
import { operatorSessions, operators } from '../schema/schema.ts'
import { lockFairly } from './fair-lock.ts'
import type { StoredIdentity } from './identity-rows.ts'

export interface StoredOperator {
  operator_id: string
  label: string
  role: OperatorRole
  issuer: string | null
  subject: string | null
  invitation_expires_at: Date
  invited_by: string
  created_at: Date
  removed_at: Date | null
  is_over: boolean
}

const columns = {
  operator_id: operators.operator_id,
  label: operators.label,
  role: operators.role,
  issuer: operators.issuer,
  subject: operators.subject,
  invitation_expires_at: operators.invitation_expires_at,
  invited_by: operators.invited_by,
  created_at: operators.created_at,
  removed_at: operators.removed_at,
  is_over: sql<boolean>`${operators.invitation_expires_at} <= clock_timestamp()`,
}

export interface NewOperator {
  operator_id: string
  label: string
  role: OperatorRole
  invitation_hash: Buffer
  invited_by: string
  ms: number
}

export async function insertOperator(
  query: Query,
  { ms, ...operator }: NewOperator,
): Promise<StoredOperator> {
  const invitation_expires_at = sql`clock_timestamp() + ${ms}::int8 * interval '1 millisecond'`
  const [made] = await query
    .insert(operators)
    .values({ ...operator, invitation_expires_at })
    .returning(columns)
  if (!made) throw new Error('the operator was not stored')
  return made
}

export async function listOperators(
  query: Query,
  { limit, cursor }: { limit: number; cursor: TimeCursor | undefined },
): Promise<StoredOperator[]> {
  const { created_at, operator_id } = operators
  const older = cursor && { at: new Date(cursor[0]), id: cursor[1] }
  return query
    .select(columns)
    .from(operators)
    .where(older && or(lt(created_at, older.at), and(eq(created_at, older.at), lt(operator_id, older.id))))
    .orderBy(desc(created_at), desc(operator_id))
    .limit(limit)
}

const operatorsLock = 4_701_225_020

/** Takes a lock until the transaction ends, so that operators are added, changed and removed one at a time. */
export async function holdOperators(query: Query): Promise<void> {
  await query.execute(sql`select pg_advisory_xact_lock(${operatorsLock}::int8)`)
}

const isThere = (operatorId: string) =>
  and(eq(operators.operator_id, operatorId), isNull(operators.removed_at))

/** Waits for transactions that use a session of the operator, so that none still acts with the old role. */
export async function lockOperator(query: Query, operatorId: string): Promise<void> {
  await lockFairly(query, sql`select ${operatorId}::text`)
  await query.select({ label: operators.label }).from(operators).where(isThere(operatorId)).for('update')
}

/** Returns null if there is no such operator; `changed` is false if the operator already had this role. */
export async function changeRole(
  query: Query,
  operatorId: string,
  role: OperatorRole,
): Promise<{ operator: StoredOperator; changed: boolean } | null> {
  const [before] = await query.select(columns).from(operators).where(isThere(operatorId))
  if (!before) return null
  await query.update(operators).set({ role }).where(isThere(operatorId))
  return { operator: { ...before, role }, changed: before.role !== role }
}

/** Removes an operator and deletes its sessions. Returns null if there is no such operator. */
export async function removeOperator(query: Query, operatorId: string): Promise<StoredOperator | null> {
  const [removed] = await query
    .update(operators)
    .set({ removed_at: sql`clock_timestamp()` })
    .where(isThere(operatorId))
    .returning(columns)
  if (!removed) return null
  await query.delete(operatorSessions).where(eq(operatorSessions.operator_id, operatorId))
  return removed
}

/** Returns an invitation's operator, even if the invitation was used or expired, or the operator removed. */
export async function operatorOfInvitation(query: Query, hash: Buffer): Promise<StoredOperator | null> {
  const [row] = await query.select(columns).from(operators).where(eq(operators.invitation_hash, hash))
  return row ?? null
}

export async function operatorOfIdentity(
  query: Query,
  { issuer, subject }: StoredIdentity,
): Promise<StoredOperator | null> {
  const [row] = await query
    .select(columns)
    .from(operators)
    .where(and(eq(operators.issuer, issuer), eq(operators.subject, subject), isNull(operators.removed_at)))
  return row ?? null
}

export async function linkOperator(
  query: Query,
  operatorId: string,
  { issuer, subject }: StoredIdentity,
): Promise<void> {
  await query.update(operators).set({ issuer, subject }).where(isThere(operatorId))
}
