import { and, count, eq, gt, isNotNull, isNull, lte, or, sql } from 'drizzle-orm'
import type { Author } from '../../contract/configuration/tenant.ts'
import type { Query, Reader, Writer } from '../postgres/open.ts'
import { testCalls } from '../schema/schema.ts'

export interface AskedTestCall {
  test_id: string
  tenant_id: string
  system: string
  test: string
  request_hash: string
  author: Author
}

/** Stores a test call for the workers. None of them takes it after `ms` milliseconds. */
export async function insertTestCall(query: Query, asked: AskedTestCall, ms: number): Promise<void> {
  await query.insert(testCalls).values({ ...asked, take_before: later(ms) })
}

/** Counts test calls that a worker may still take, and taken test calls without an answer. */
export async function countTestCalls(query: Query, tenantId: string): Promise<number> {
  const isWaiting = and(isNull(testCalls.taken_by), gt(testCalls.take_before, clock))
  const isUnderWay = and(isNotNull(testCalls.taken_by), isNull(testCalls.answer))
  const [row] = await query
    .select({ count: count() })
    .from(testCalls)
    .where(and(eq(testCalls.tenant_id, tenantId), or(isWaiting, isUnderWay)))
  return row?.count ?? 0
}

/** Returns test calls that a worker may take. Tenants take turns, so that many calls of one delay no other. */
export async function waitingTestCalls(reader: Reader, limit: number): Promise<AskedTestCall[]> {
  const text = `
    select test_id, tenant_id, system, test, request_hash, author from test_calls
    where taken_by is null and take_before > clock_timestamp()
    order by row_number() over (partition by tenant_id order by asked_at), asked_at, test_id limit $1::int4`
  return reader.query<AskedTestCall>('waiting_test_calls', text, [limit])
}

/** Takes a test call for `ms` milliseconds; false if another worker has taken it or its time is over. */
export async function takeTestCall(
  query: Query,
  { test_id, worker, ms }: { test_id: string; worker: string; ms: number },
): Promise<boolean> {
  const taken = await query
    .update(testCalls)
    .set({ taken_by: worker, ends_at: later(ms) })
    .where(and(eq(testCalls.test_id, test_id), isNull(testCalls.taken_by), gt(testCalls.take_before, clock)))
    .returning({ test_id: testCalls.test_id })
  return taken.length > 0
}

/** Stores a worker's answer to a test call; false if the call's time is over. */
export async function answerTestCall(
  query: Query,
  { test_id, worker, answer }: { test_id: string; worker: string; answer: string },
): Promise<boolean> {
  const isItsOwn = and(eq(testCalls.test_id, test_id), eq(testCalls.taken_by, worker))
  const answered = await query
    .update(testCalls)
    .set({ answer })
    .where(and(isItsOwn, isNull(testCalls.answer), gt(testCalls.ends_at, clock)))
    .returning({ test_id: testCalls.test_id })
  return answered.length > 0
}

/** Stores an answer for a test call that its worker did not answer in time; false if it has an answer. */
export async function endTestCall(
  query: Query,
  { test_id, answer }: { test_id: string; answer: string },
): Promise<boolean> {
  const ended = await query
    .update(testCalls)
    .set({ answer })
    .where(and(eq(testCalls.test_id, test_id), isNull(testCalls.answer), lte(testCalls.ends_at, clock)))
    .returning({ test_id: testCalls.test_id })
  return ended.length > 0
}

/** Deletes a test call that no worker has taken; false if a worker has taken it or it does not exist. */
export async function withdrawTestCall(query: Query, testId: string): Promise<boolean> {
  const withdrawn = await query
    .delete(testCalls)
    .where(and(eq(testCalls.test_id, testId), isNull(testCalls.taken_by)))
    .returning({ test_id: testCalls.test_id })
  return withdrawn.length > 0
}

export interface TestCallState {
  waits: boolean
  over: boolean
  taken: boolean
  answer: string | null
}

export async function readTestCall(
  reader: Reader,
  { tenant_id, test_id }: Pick<AskedTestCall, 'tenant_id' | 'test_id'>,
): Promise<TestCallState | null> {
  const text = `
    select taken_by is null and take_before > clock_timestamp() as waits, taken_by is not null as taken,
      coalesce(ends_at <= clock_timestamp(), false) as over, answer
    from test_calls where tenant_id = $1 and test_id = $2`
  const [row] = await reader.query<TestCallState>('read_test_call', text, [tenant_id, test_id])
  return row ?? null
}

export async function lostTestCalls(reader: Reader, limit: number): Promise<AskedTestCall[]> {
  const text = `
    select test_id, tenant_id, system, test, request_hash, author from test_calls
    where answer is null and ends_at <= clock_timestamp() order by ends_at, test_id limit $1::int4`
  return reader.query<AskedTestCall>('lost_test_calls', text, [limit])
}

/** Deletes test calls `ms` milliseconds after they were asked for, if they were answered or never taken. */
export async function forgetTestCalls(writer: Writer, ms: number): Promise<void> {
  const text = `
    delete from test_calls where (answer is not null or taken_by is null)
      and asked_at < clock_timestamp() - $1::int8 * interval '1 millisecond'`
  await writer.query('forget_test_calls', text, [ms])
}

const clock = sql`clock_timestamp()`

function later(ms: number) {
  return sql`clock_timestamp() + ${Math.round(ms)}::int8 * interval '1 millisecond'`
}
