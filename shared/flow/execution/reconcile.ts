import type { Invocation } from '../../actuator/actuator.ts'
import { lookUp, pollOnce } from '../../actuator/invoke.ts'
import type { Registry } from '../../actuator/registry.ts'
import type { Principal } from '../../contract/action/audit.ts'
import type { JsonObject } from '../../contract/base/json.ts'
import type { Finding } from '../../contract/configuration/actuator-schema.ts'
import type { Decide } from '../../lifecycle/move.ts'
import {
  findAbsent,
  findExecuted,
  findFailed,
  isRepeated,
  type Problem,
  type Round,
  repeatKey,
  type Source,
  stillUnknown,
} from '../../lifecycle/reconciliation.ts'
import { createStopwatch } from '../../runtime/clock.ts'
import { openDeadline } from '../../runtime/deadline.ts'
import {
  beginLookup,
  giveUpLookup,
  type Partition,
  type ReconcileAttempt,
  type ReconcileBounds,
  takeReconcileAttempts,
} from '../../store/job/reconcile-attempts.ts'
import { callbackUrl } from '../core/callback-url.ts'
import { changeActions } from '../core/change-action.ts'
import { timing } from '../core/configured.ts'
import type { Context } from '../core/context.ts'
import { type Bound, bind, callOf, isRepeatable, isSameRequest } from '../core/execution-binding.ts'

export interface TakeRounds extends Omit<ReconcileBounds, 'hold_ms'> {
  worker: Principal
  registry: Registry
}

export interface DueRound extends Partition {
  asks: boolean
  /** `silent` is true if the downstream was asked and gave no answer. */
  make(): Promise<{ silent: boolean }>
}

/**
 * Takes the due rounds of unknown outcomes and judges them in the order of specification.md#unknown-outcomes: a
 * late result, a retry with the same key, a look-up. Without proof the round is repeated later and finally left to
 * an operator.
 */
export async function takeRounds(
  context: Context,
  bounds: TakeRounds,
): Promise<{ rounds: DueRound[]; after: Partition }> {
  const { execution_ms_max, lease_ms } = context.config
  const hold_ms = execution_ms_max + lease_ms
  const { attempts, after } = await context.store.write('all', writer =>
    takeReconcileAttempts(writer, { ...bounds, hold_ms }),
  )
  if (attempts.length > 0) await context.reach('reconcile_taken')
  return { rounds: attempts.map(due => planRound(context, bounds, due)), after }
}

function planRound(context: Context, { worker, registry }: TakeRounds, due: ReconcileAttempt): DueRound {
  const { tenant_id, target_system } = due
  const round: Round = { worker, rounds: due.rounds, ...timing(context) }
  const known = judgeAlone(context, round, registry, due)
  const asks = typeof known !== 'function'
  return {
    tenant_id,
    target_system,
    asks,
    async make() {
      if (!asks) return record(context, round, due, { decide: known, silent: false })
      const judgement = await ask(context, { round, due, bound: known })
      return judgement ? record(context, round, due, judgement) : { silent: true }
    },
  }
}

interface Judgement {
  decide: Decide
  silent: boolean
}

async function record(
  context: Context,
  round: Round,
  { action_id, tenant_id }: ReconcileAttempt,
  { decide, silent }: Judgement,
): Promise<{ silent: boolean }> {
  const [settled] = await changeActions(context, [{ action_id, tenant_id, decide }])
  if (settled?.ok) context.events.reconciled(settled.value.change.to)
  if (settled?.ok || settled?.error.reason !== 'contradicted') return { silent }
  const problem = {
    code: 'conflicting_evidence',
    message: 'the downstream denies what a result that came late says',
  }
  const contradicted = stillUnknown(round, { source: 'lookup', problem, needsOperator: true })
  await changeActions(context, [{ action_id, tenant_id, decide: contradicted }])
  return { silent }
}

/** Judges each row alone; an error proves nothing about its action and leaves the others alone. */
function judgeAlone(
  context: Context,
  round: Round,
  registry: Registry,
  due: ReconcileAttempt,
): Decide | Bound {
  try {
    return judge(context, round, registry, due)
  } catch (error) {
    context.events.failed('reconcile_row', error, { action_id: due.action_id })
    const problem = { code: 'not_judged', message: 'what is stored of it cannot be made a look-up' }
    return unproved(context, round, due, { source: 'reconciler', problem })
  }
}

/** Returns the decision if no look-up is needed, otherwise the actuator to ask. */
function judge(context: Context, round: Round, registry: Registry, due: ReconcileAttempt): Decide | Bound {
  if (due.late_detail !== null) {
    const detail = JSON.parse(due.late_detail) as JsonObject
    return findExecuted(round.worker, 'late_result', detail)
  }
  const bound = bind(due, registry)
  if ('code' in bound) return unproved(context, round, due, { source: 'reconciler', problem: bound })
  const { key_honoured, tried_for_ms, request_hash } = due
  const repeats = key_honoured && isRepeated(due) && isRepeatable(bound.actuator, tried_for_ms)
  if (repeats && isSameRequest(bound, request_hash)) return repeatKey(round)
  if (due.dispatched || bound.actuator.lookup) return bound
  if (isRepeated(due)) {
    const message = `${bound.actuator.name} can neither repeat nor look up`
    const problem = { code: 'no_lookup', message }
    return stillUnknown(round, { source: 'reconciler', problem, needsOperator: true, cause: due.last_error })
  }
  const message = `${due.leases_lost} workers did not survive or report its call`
  const problem = { code: 'leases_lost', message }
  return stillUnknown(round, { source: 'reconciler', problem, needsOperator: true })
}

/**
 * Returns null if the process ends before an answer or another worker was faster, since neither says anything
 * about the downstream.
 */
async function ask(context: Context, asked: Asked): Promise<Judgement | null> {
  const { due, bound } = asked
  const { attempt, not_after, max_attempts } = due
  const ofTenant = [due.tenant_id]
  const begun = await context.store.write(ofTenant, writer => beginLookup(writer, due))
  if (begun === null) return null
  if (begun > max_attempts) return { decide: lookupsLost(asked.round, max_attempts), silent: false }
  const { execution_ms_max } = context.config
  const deadline = openDeadline(context.ending.signal, execution_ms_max)
  const since = createStopwatch()
  const span = context.tracer.begin('client', due.traceparent)
  const { traceparent } = span
  const timeLeftMs = (): number => execution_ms_max - since()
  const finding = await findOut(bound, due, {
    ...callOf(due, bound),
    callback_url: callbackUrl(context, due),
    ...{ attempt, not_after, traceparent, timeLeftMs },
    signal: deadline.signal,
    isLate: () => timeLeftMs() <= 0,
  }).finally(deadline.clear)
  span.end({
    name: `look up ${bound.kind}`,
    attributes: { 'action_gate.action_id': due.action_id, 'action_gate.found': finding.found },
    failed: finding.found === 'unclear',
  })
  const silent = finding.found === 'unclear'
  if (silent && context.ending.signal.aborted) {
    await context.store.write(ofTenant, writer => giveUpLookup(writer, due))
    return null
  }
  return { decide: conclude(context, asked, finding), silent }
}

/** Asks the downstream's status address if it gave one, otherwise asks by the idempotency key. */
async function findOut(
  bound: Bound,
  { dispatched, request_hash }: ReconcileAttempt,
  invocation: Invocation,
): Promise<Finding> {
  if (!dispatched || !isSameRequest(bound, request_hash)) return lookUp(bound.actuator, invocation)
  const said = await pollOnce(bound.actuator, dispatched, invocation)
  if (said.class === 'ok') return { found: 'executed', detail: said.detail }
  const { code, message } = said
  return { found: said.class === 'failed' ? 'failed' : 'unclear', code, message }
}

/** Leaves the outcome to an operator after several workers were lost during its look-up. */
function lookupsLost(round: Round, lost: number): Decide {
  const problem = { code: 'lookups_lost', message: `${lost} workers did not survive or report its look-up` }
  return stillUnknown(round, { source: 'reconciler', problem, needsOperator: true })
}

interface Asked {
  round: Round
  due: ReconcileAttempt
  bound: Bound
}

function conclude(context: Context, asked: Asked, finding: Finding): Decide {
  const { round, due, bound } = asked
  if (finding.found === 'executed') return findExecuted(round.worker, 'lookup', finding.detail)
  if (finding.found !== 'unclear' && !isSameRequest(bound, due.request_hash)) {
    const problem = { code: 'actuator_changed', message: 'it was attempted as it was registered before' }
    return unproved(context, round, due, { source: 'lookup', problem })
  }
  if (finding.found === 'failed') {
    const { found: _found, ...problem } = finding
    return findFailed(round, problem)
  }
  if (finding.found === 'absent' && absenceProves(asked)) return findAbsent(round)
  const problem =
    finding.found === 'absent'
      ? { code: 'absent', message: 'the downstream has no trace of it, which proves nothing yet' }
      : { code: finding.code, message: finding.message }
  return unproved(context, round, due, { source: 'lookup', problem })
}

/**
 * True if the downstream refuses calls after `not_after` and that time was over, by more than the margin of the
 * actuator, when it was asked.
 */
function absenceProves({ bound, due }: Asked): boolean {
  const marginMs = bound.actuator.absence_proves_after_ms
  return marginMs !== undefined && due.late_by_ms > marginMs
}

/** Schedules the next round, or leaves the outcome to an operator once the time for rounds is over. */
function unproved(
  context: Context,
  round: Round,
  due: ReconcileAttempt,
  about: { source: Source; problem: Problem },
): Decide {
  const needsOperator = due.unknown_for_ms > context.config.reconcile_ms_max
  return stillUnknown(round, { ...about, needsOperator })
}
