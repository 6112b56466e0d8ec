import type { Accepted, Actuator } from '../../actuator/actuator.ts'
import type { Exchange } from '../../actuator/exchange.ts'
import { invoke } from '../../actuator/invoke.ts'
import { createRegistry, type Unavailable } from '../../actuator/registry.ts'
import type { Hiding } from '../../actuator/surroundings.ts'
import type { JsonObject } from '../../contract/base/json.ts'
import { limits } from '../../contract/base/limits.ts'
import type { Outcome } from '../../contract/configuration/actuator-schema.ts'
import { isFrozen } from '../../gate/freeze.ts'
import { afterNow, createStopwatch, type Stopwatch } from '../../runtime/clock.ts'
import { openDeadline } from '../../runtime/deadline.ts'
import { newSpanId, newTraceId } from '../../runtime/ids.ts'
import type { Query } from '../../store/postgres/open.ts'
import { readFreezes } from '../../store/tenant/freeze-rows.ts'
import { changeConfig } from '../core/change-config.ts'
import type { Context } from '../core/context.ts'
import { withDependencies } from '../execution/mark-worker.ts'
import { frozenSubject, type JudgedTest, type TestCall } from './judge-test.ts'
import { readTestAnswer, type Seen, type TestAnswer } from './test-verdict.ts'

export interface TestLedger {
  by: { worker?: string }
  /** Claims the call for `ms` milliseconds with its record; false if another process makes it. */
  take(query: Query, ms: number): Promise<boolean>
  /** Stores the answer with its record; false if the call was judged meanwhile. */
  answer(query: Query, answer: TestAnswer): Promise<boolean>
}

export const ownLedger: TestLedger = { by: {}, take: async () => true, answer: async () => true }

/** Makes a test call with one record before it and one after; null if it was not called. */
export async function makeTestCall(
  context: Context,
  judged: JudgedTest,
  ledger: TestLedger,
): Promise<TestAnswer | null> {
  return withDependencies(context, async around => {
    const seen: Seen[] = []
    const observe = (exchanged: Exchange, redact: Hiding) => {
      seen.push({ exchanged, redact })
    }
    const found = createRegistry({ ...around, observe })(judged.actuator)
    const ms = ('code' in found ? undefined : found.timeout_ms) ?? limits.actuator_timeout_ms_preset
    // The time starts before the claim, so that a process stopped between the two sends nothing later.
    const used = createStopwatch()
    if (!(await recordCalled(context, judged, { ledger, ms }))) return null
    await context.reach('test_taken')
    const outcome = await attempt(context, judged, { found, ms, used })
    await context.reach('test_answered')
    const answer = readTestAnswer(outcome, seen.at(-1) ?? null)
    await recordAnswered(context, judged, { ledger, answer })
    return answer
  })
}

/** Records the call, unless a freeze matches at that moment. */
async function recordCalled(
  context: Context,
  { call, test_id, request_hash }: JudgedTest,
  { ledger, ms }: { ledger: TestLedger; ms: number },
): Promise<boolean> {
  const { tenant_id, author, test } = call
  return changeConfig(context, tenant_id, author, async query => {
    const freezes = await readFreezes(query, tenant_id)
    if (isFrozen(freezes, frozenSubject(call)) || !(await ledger.take(query, ms))) return { answer: false }
    const about = { ...aboutTest(call, test_id), phase: 'called', confirmed: test.confirm, request_hash }
    return { answer: true, entry: { kind: 'tool_tested', payload: { ...about, ...ledger.by } } }
  })
}

async function recordAnswered(
  context: Context,
  { call, test_id }: JudgedTest,
  { ledger, answer }: { ledger: TestLedger; answer: TestAnswer },
): Promise<void> {
  await changeConfig(context, call.tenant_id, call.author, async query => {
    if (!(await ledger.answer(query, answer))) return { answer: null }
    return { answer: null, entry: { kind: 'tool_tested', payload: answeredPayload(call, test_id, answer) } }
  })
}

export function answeredPayload(call: TestCall, test_id: string, { verdict }: TestAnswer): JsonObject {
  const { outcome, rule } = verdict
  return { ...aboutTest(call, test_id), phase: 'answered', outcome, rule }
}

function aboutTest({ system, test }: TestCall, test_id: string) {
  return { test_id, system, operation: test.operation }
}

async function attempt(
  context: Context,
  { planned }: JudgedTest,
  { found, ms, used }: { found: Actuator | Unavailable; ms: number; used: Stopwatch },
): Promise<Outcome | Accepted> {
  if ('code' in found) return { class: 'failed', ...found }
  const { signal, clear } = openDeadline(context.ending.signal, ms)
  try {
    return await invoke(found, {
      ...planned,
      attempt: 1,
      callback_url: null,
      not_after: afterNow(ms).toISOString(),
      traceparent: `00-${newTraceId()}-${newSpanId()}-00`,
      signal,
      isLate: () => signal.aborted || used() >= ms,
      timeLeftMs: () => Math.max(0, ms - used()),
    })
  } finally {
    clear()
  }
}
