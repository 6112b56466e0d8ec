import type { Accepted } from '../../actuator/actuator.ts'
import type { Exchange } from '../../actuator/exchange.ts'
import { invoke } from '../../actuator/invoke.ts'
import { planRequest } from '../../actuator/plan-request.ts'
import { createRegistry } from '../../actuator/registry.ts'
import { type Hiding, type RegistryDependencies, referencesIn } from '../../actuator/surroundings.ts'
import { canonicalJson } from '../../canon/canonical-json.ts'
import { prefixedHex, sha256 } from '../../canon/digest.ts'
import { parseStrictJson } from '../../canon/strict-json.ts'
import type { PlannedRequest } from '../../contract/action/planned-request.ts'
import { type Issue, ServiceError } from '../../contract/base/errors.ts'
import type { JsonObject, JsonValue } from '../../contract/base/json.ts'
import { limits } from '../../contract/base/limits.ts'
import type { Outcome, RegisteredActuator } from '../../contract/configuration/actuator-schema.ts'
import type { Author } from '../../contract/configuration/tenant.ts'
import type { ToolTest, ToolTested } from '../../contract/configuration/tool-import.ts'
import { isFrozen } from '../../gate/freeze.ts'
import { judgeParameters } from '../../json-schema/judge-parameters.ts'
import { afterNow, createStopwatch } from '../../runtime/clock.ts'
import { newName, newSpanId, newTraceId } from '../../runtime/ids.ts'
import { changeConfig } from '../core/change-config.ts'
import type { Context } from '../core/context.ts'
import { withDependencies } from '../execution/mark-worker.ts'
import { usesProgram } from './operator-means.ts'
import { actuatorOf, isRegistered, readTenantTools, standingOf, type TenantTools } from './tenant-tools.ts'

export interface TestCall {
  tenant_id: string
  system: string
  test: ToolTest
  author: Author
}

/** Render the request of an operation, and call it where it only reads or the call is confirmed; never an action. */
export async function testTool(context: Context, call: TestCall): Promise<ToolTested> {
  const { tenant_id, system, test } = call
  const tools = await readTenantTools(context, tenant_id)
  const actuator = actuatorOf(tools.documents, system)
  if (!actuator || !isRegistered(actuator, test.operation)) {
    const message = `no actuator has an operation ${test.operation} of ${system}`
    throw new ServiceError('tool_not_found', message)
  }
  const entry = entryOf(tools, call)
  const test_id = newName('test')
  const planned = { ...plannedCall(call, test_id), tool_schema_hash: entry?.tool_schema_hash ?? null }
  const request = planRequest(actuator, planned)
  const hindrance = hindranceOf(tools, call, actuator) ?? withoutWorker(context, actuator)
  if (hindrance) return { test_id: null, request, verdict: null, answer: null, ...hindrance }
  return send(context, call, { actuator, planned, request, test_id })
}

function entryOf({ documents }: TenantTools, { system, test }: TestCall) {
  const operations = documents.catalog?.operations ?? []
  return operations.find(entry => entry.system === system && entry.operation === test.operation) ?? null
}

/** Why nothing is called; null where nothing hinders it. */
function hindranceOf(
  tools: TenantTools,
  call: TestCall,
  { kind }: RegisteredActuator,
): Pick<ToolTested, 'sent' | 'problems'> | null {
  const { system, test } = call
  const entry = entryOf(tools, call)
  const violations = entry && judgeParameters(entry.parameter_schema, test.parameters)
  const problems: Issue[] = (violations ?? []).map(({ place, keyword, detail }) => ({
    path: place,
    code: 'outside_schema',
    message: `${keyword}${detail}`,
  }))
  if (problems.length > 0) return { sent: 'outside_schema', problems }
  const subject = { system, operation: test.operation, key_id: null }
  if (isFrozen(tools.freezes, subject)) return { sent: 'frozen', problems }
  const { safe } = standingOf(tools.documents.policy, { system, operation: test.operation, entry })
  return safe || test.confirm || kind === 'mock' ? null : { sent: 'not_confirmed', problems }
}

/** A process without a worker has no secret, no program and no module: a call without them would prove nothing. */
function withoutWorker(
  { bench }: Context,
  actuator: RegisteredActuator,
): Pick<ToolTested, 'sent' | 'problems'> | null {
  const { kind, settings } = actuator
  const needs = referencesIn(settings).length > 0 || usesProgram(actuator) || kind === 'module'
  return needs && bench.dependencies === null ? { sent: 'workers_only', problems: [] } : null
}

/** As an attempt is told; the key is of this test alone. */
function plannedCall({ tenant_id, system, test }: TestCall, test_id: string) {
  const { operation, parameters } = test
  return {
    tenant_id,
    action_id: test_id,
    idempotency_key: test_id,
    target_system: system,
    operation,
    parameters,
  }
}

interface Sending {
  actuator: RegisteredActuator
  planned: ReturnType<typeof plannedCall> & { tool_schema_hash: string | null }
  request: PlannedRequest
  test_id: string
}

/** Recorded before it is called, and what came of it after. */
async function send(context: Context, call: TestCall, sending: Sending): Promise<ToolTested> {
  const { request, test_id } = sending
  const about = { test_id, system: call.system, operation: call.test.operation }
  await record(context, call, {
    ...about,
    phase: 'called',
    confirmed: call.test.confirm,
    request_hash: prefixedHex(sha256(canonicalJson(request as unknown as JsonValue))),
  })
  const { outcome, seen } = await withDependencies(context, around => attempt(context, around, sending))
  const verdict = verdictOf(outcome)
  await record(context, call, {
    ...about,
    phase: 'answered',
    outcome: verdict.outcome,
    rule: verdict.rule,
  })
  return { test_id, request, sent: 'called', verdict, answer: answerOf(outcome, seen), problems: [] }
}

function record(context: Context, { tenant_id, author }: TestCall, payload: JsonObject): Promise<null> {
  return changeConfig(context, tenant_id, author, async () => ({
    answer: null,
    entry: { kind: 'tool_tested', payload },
  }))
}

/** What a downstream answered over HTTP, and what hides the secrets in it. */
interface Seen {
  exchanged: Exchange
  redact: Hiding
}

/** The trace is of its own, and nobody samples it. */
async function attempt(
  context: Context,
  around: RegistryDependencies,
  { actuator, planned }: Sending,
): Promise<{ outcome: Outcome | Accepted; seen: Seen | null }> {
  const all: Seen[] = []
  const observe = (exchanged: Exchange, redact: Hiding) => {
    all.push({ exchanged, redact })
  }
  const found = createRegistry({ ...around, observe })(actuator)
  if ('code' in found) return { outcome: { class: 'failed', ...found }, seen: null }
  const ms = found.timeout_ms ?? limits.actuator_timeout_ms_preset
  const began = createStopwatch()
  const signal = AbortSignal.any([context.ending.signal, AbortSignal.timeout(ms)])
  const outcome = await invoke(found, {
    ...planned,
    attempt: 1,
    callback_url: null,
    not_after: afterNow(ms).toISOString(),
    traceparent: `00-${newTraceId()}-${newSpanId()}-00`,
    signal,
    isLate: () => signal.aborted,
    timeLeftMs: () => Math.max(0, ms - began()),
  })
  return { outcome, seen: all.at(-1) ?? null }
}

const outcomes = {
  ok: 'executed',
  failed: 'failed',
  unknown: 'unknown',
  retry: 'not_sent',
  busy: 'busy',
} as const

function verdictOf(outcome: Outcome | Accepted): NonNullable<ToolTested['verdict']> {
  const { rule } = outcome
  if (outcome.class === 'accepted')
    return { outcome: 'accepted', rule: outcome.rule, message: 'it goes on downstream' }
  if (outcome.class === 'ok') return { outcome: 'executed', rule: rule ?? 'done', message: 'it was done' }
  return { outcome: outcomes[outcome.class], rule: rule ?? outcome.code, message: outcome.message }
}

/** All that the downstream answered, bounded, without secrets; of other kinds what the outcome keeps of it. */
function answerOf(outcome: Outcome | Accepted, seen: Seen | null): ToolTested['answer'] {
  if (seen?.exchanged.kind === 'answered') {
    const { redact, exchanged } = seen
    const { status, headers, body } = exchanged.answer
    const shown = Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, redact.text([value].flat().join(', ')).slice(0, 1_000)] as const],
    )
    const read = readAnswer(body, redact)
    return { status, headers: Object.fromEntries(shown), ...read }
  }
  if (outcome.class === 'accepted') return null
  const kept = outcome.class === 'ok' ? outcome.detail : outcome.body
  return kept === undefined ? null : { status: null, headers: {}, body: kept, truncated: false }
}

function readAnswer(body: Buffer, redact: Hiding): { body: JsonValue; truncated: boolean } {
  const truncated = body.length > limits.test_answer_length_max
  const read = truncated ? null : parseStrictJson(body)
  if (read?.ok) return { body: redact.json(read.value), truncated }
  const text = redact.text(body.subarray(0, limits.test_answer_length_max).toString())
  return { body: text.replace(/[^\P{C}\n\t]+/gu, ' '), truncated }
}
