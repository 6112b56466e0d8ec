import { lookUp } from '../actuator/look-up.ts'
import type { Registry } from '../actuator/registry.ts'
import type { Finding } from '../contract/actuator.ts'
import type { Principal } from '../contract/audit.ts'
import type { JsonObject } from '../contract/json.ts'
import type { Decide } from '../lifecycle/move.ts'
import {
  findAbsent,
  findExecuted,
  findFailed,
  type Problem,
  type Round,
  repeatKey,
  type Source,
  stillUnknown,
} from '../lifecycle/reconcile.ts'
import { openDeadline } from '../runtime/deadline.ts'
import { type Inquiry, takeInquiries } from '../store/inquiries.ts'
import { amendActions } from './amend-action.ts'
import type { Context } from './context.ts'
import { type Bound, bind, callOf, isRepeatable } from './execution-binding.ts'
import { timing } from './timing.ts'

/** Rounds taken at once, and look-ups under way at once for one actuator of a tenant (reliability section 3.4). */
const roundsAtOnce = 16
const lookupsPerActuator = 2
const silentMax = 3

/**
 * One round for each outcome that is unknown and due, in the order of reliability section 3.4: a result that came late,
 * the same key again, a look-up. What proves nothing is asked again later, and in the end left to an operator.
 */
export async function reconcile(context: Context, worker: Principal, registry: Registry): Promise<void> {
  if (context.ending.signal.aborted) return
  const { execution_ms_max, lease_ms } = context.config
  const holdMs = execution_ms_max + lease_ms
  const inquiries = await context.store.write('all', writer => takeInquiries(writer, roundsAtOnce, holdMs))
  if (inquiries.length > 0) await context.reach('inquiry_taken')
  const lanes = new Map<string, Inquiry[]>()
  for (const inquiry of inquiries) {
    const name = `${inquiry.tenant_id} ${inquiry.target_system}`
    lanes.set(name, [...(lanes.get(name) ?? []), inquiry])
  }
  await Promise.all([...lanes.values()].map(lane => inTurn(context, worker, registry, lane)))
}

/**
 * The rounds about one actuator, a few at a time. Where it answers nothing several times in a row the rest is left for a
 * later pass: their hold runs out, and a downstream that is ill is not asked by everybody at once.
 */
async function inTurn(
  context: Context,
  worker: Principal,
  registry: Registry,
  lane: readonly Inquiry[],
): Promise<void> {
  const waiting = [...lane]
  let silent = 0
  const one = async (): Promise<void> => {
    while (silent < silentMax && !context.ending.signal.aborted) {
      const inquiry = waiting.shift()
      if (!inquiry) return
      const made = await makeRound(context, worker, registry, inquiry)
      silent = made.silent ? silent + 1 : 0
    }
  }
  await Promise.all(Array.from({ length: lookupsPerActuator }, one))
}

async function makeRound(
  context: Context,
  worker: Principal,
  registry: Registry,
  inquiry: Inquiry,
): Promise<{ silent: boolean }> {
  const { action_id, tenant_id, rounds } = inquiry
  const round: Round = { worker, rounds, ...timing(context) }
  const judged = await judge(context, round, registry, inquiry)
  if (!judged) return { silent: true }
  const { decide, silent = false } = judged
  const [settled] = await amendActions(context, [{ action_id, tenant_id, decide }])
  if (settled?.ok) context.events.reconciled(settled.value.change.to)
  if (settled?.ok || settled?.error.reason !== 'contradicted') return { silent }
  const problem = {
    code: 'conflicting_evidence',
    message: 'the downstream denies what a result that came late says',
  }
  const contradicted = stillUnknown(round, { source: 'lookup', problem, needsOperator: true })
  await amendActions(context, [{ action_id, tenant_id, decide: contradicted }])
  return { silent }
}

interface Judgement {
  decide: Decide
  /** The downstream was asked and did not come to an answer. */
  silent?: boolean
}

/** Null where the process ends before the downstream has answered, which says nothing of the downstream. */
async function judge(
  context: Context,
  round: Round,
  registry: Registry,
  inquiry: Inquiry,
): Promise<Judgement | null> {
  if (inquiry.late_detail !== null) {
    const detail = JSON.parse(inquiry.late_detail) as JsonObject
    return { decide: findExecuted(round.worker, 'late_result', detail) }
  }
  const bound = bind(inquiry, registry)
  if ('code' in bound)
    return { decide: unproved(context, round, inquiry, { source: 'reconciler', problem: bound }) }
  if (inquiry.key_honoured && isRepeatable(bound.actuator, inquiry.tried_for_ms))
    return { decide: repeatKey(round) }
  if (!bound.actuator.lookup) {
    const problem = { code: 'no_lookup', message: `${bound.actuator.name} can neither repeat nor look up` }
    return { decide: stillUnknown(round, { source: 'reconciler', problem, needsOperator: true }) }
  }
  const { attempt, not_after } = inquiry
  const deadline = openDeadline(context.ending.signal, context.config.execution_ms_max)
  const span = context.tracer.begin('client', inquiry.traceparent)
  const { traceparent } = span
  const call = { ...callOf(inquiry, bound), attempt, not_after, traceparent, signal: deadline.signal }
  const finding = await lookUp(bound.actuator, call).finally(deadline.clear)
  span.end({
    name: `look up ${bound.kind}`,
    attributes: { 'action_gate.action_id': inquiry.action_id, 'action_gate.found': finding.found },
    failed: finding.found === 'unclear',
  })
  if (finding.found === 'unclear' && context.ending.signal.aborted) return null
  return {
    decide: conclude(context, { round, inquiry, bound }, finding),
    silent: finding.found === 'unclear',
  }
}

interface Asked {
  round: Round
  inquiry: Inquiry
  bound: Bound
}

function conclude(context: Context, asked: Asked, finding: Finding): Decide {
  const { round, inquiry } = asked
  if (finding.found === 'executed') return findExecuted(round.worker, 'lookup', finding.detail)
  if (finding.found === 'failed') return findFailed(round, { code: finding.code, message: finding.message })
  if (finding.found === 'absent' && absenceProves(asked)) return findAbsent(round)
  const problem =
    finding.found === 'absent'
      ? { code: 'absent', message: 'the downstream has no trace of it, which proves nothing yet' }
      : { code: finding.code, message: finding.message }
  return unproved(context, round, inquiry, { source: 'lookup', problem })
}

/** Only where the downstream refuses what arrives after `not_after`, and that was over before it was asked. */
function absenceProves({ bound, inquiry }: Asked): boolean {
  const marginMs = bound.actuator.absence_proves_after_ms
  return marginMs !== undefined && inquiry.late_by_ms > marginMs
}

/** Asked again later, until the time for that is over. */
function unproved(
  context: Context,
  round: Round,
  inquiry: Inquiry,
  about: { source: Source; problem: Problem },
): Decide {
  const needsOperator = inquiry.unknown_for_ms > context.config.reconcile_ms_max
  return stillUnknown(round, { ...about, needsOperator })
}
