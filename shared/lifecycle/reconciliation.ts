import type { Principal } from '../contract/action/audit.ts'
import type { JsonObject, JsonValue } from '../contract/base/json.ts'
import type { SessionIdentity } from '../contract/identity.ts'
import { refused } from '../result.ts'
import type { ActionState, JobRecord } from './change.ts'
import type { Timing } from './execute.ts'
import { attemptsLeft, changeJob, reconcileDelayMs, spread } from './job.ts'
import { type Decide, illegal, move } from './move.ts'

export type Source = 'late_result' | 'same_key' | 'lookup' | 'operator' | 'reconciler'

/** A reconcile round. `rounds` is the action's count when the round began, so that a late round can be refused. */
export interface Round extends Timing {
  worker: Principal
  rounds: number
}

export interface Problem {
  code: string
  message: string
  body?: JsonValue | undefined
}

/**
 * Records that the effect occurred: a late result or the downstream's own record says so.
 * model: find_executed
 */
export function findExecuted(principal: Principal, source: Source, detail: JsonObject): Decide {
  return action => {
    const job = action.job
    if (job?.state !== 'unknown') return illegal(action, 'find_executed')
    const payload = { source, outcome: 'ok', attempt: job.attempt, result: { ok: true, detail } }
    return move(action, 'find_executed', principal, { payload, job: settled(job) })
  }
}

/**
 * Records that the effect did not and cannot occur; refused if a late result says that it did.
 * model: find_failed
 */
export function findFailed(round: Round, problem: Problem): Decide {
  return duringRound(round, (action, job) => {
    if (action.proven) return refused({ reason: 'contradicted' })
    const payload = { source: 'lookup', outcome: 'failed', attempt: job.attempt, error: recorded(problem) }
    return move(action, 'find_failed', round.worker, { payload, job: settled(job) })
  })
}

/**
 * Records that the effect did not and cannot occur: the action is retried if attempts remain, otherwise it fails.
 * Either ends the round, so that a parallel round from before the new attempt is fenced.
 * model: find_absent
 */
export function findAbsent(round: Round): Decide {
  const error = {
    code: 'never_happened',
    message: 'the downstream has no trace of it and would refuse it now',
  }
  return duringRound(round, (action, job) => {
    if (action.proven) return refused({ reason: 'contradicted' })
    if (!attemptsLeft(job)) return findFailed(round, error)(action)
    const payload = { source: 'lookup', outcome: 'retry', attempt: job.attempt, error }
    return move(action, 'find_absent', round.worker, {
      payload,
      job: changeJob(job, {
        state: 'pending',
        maybe_executed: false,
        retry_until: null,
        rounds: job.rounds + 1,
        last_error: error.code,
      }),
    })
  })
}

/**
 * Makes one more attempt with the same key. The downstream answers a known key with its first result.
 * model: repeat
 */
export function repeatKey(round: Round): Decide {
  return duringRound(round, (action, job) => {
    if (!job.key_honoured || !isRepeated(job)) return illegal(action, 'repeat')
    const payload = { source: 'same_key', outcome: 'retry', attempt: job.attempt, round: job.rounds + 1 }
    return move(action, 'repeat', round.worker, {
      payload,
      job: changeJob(job, { state: 'pending', rounds: job.rounds + 1 }),
    })
  })
}

/**
 * Limits the repeats by the number of lost leases. A call that always crashes its worker would otherwise be
 * repeated as long as the key is valid.
 */
export function isRepeated({
  leases_lost,
  max_attempts,
}: Pick<JobRecord, 'leases_lost' | 'max_attempts'>): boolean {
  return leases_lost < max_attempts
}

/**
 * Records a round without proof: the next round comes later, or an operator resolves the action. A round that
 * could not ask the downstream keeps the recorded cause of the call.
 * model: find_nothing
 */
export function stillUnknown(
  round: Round,
  { source, problem, needsOperator, cause = null }: NothingFound,
): Decide {
  return duringRound(round, (action, job) => {
    const rounds = job.rounds + 1
    const { attempt } = job
    return move(action, 'find_nothing', round.worker, {
      payload: {
        source,
        outcome: 'unknown',
        attempt,
        round: rounds,
        error: recorded(problem),
        needs_operator: needsOperator,
      },
      job: changeJob(job, {
        rounds,
        needs_operator: needsOperator,
        run_in_ms: spread(reconcileDelayMs(rounds, round.terms), round.jitter),
        last_error: cause ?? problem.code,
      }),
    })
  })
}

interface NothingFound {
  source: Source
  problem: Problem
  needsOperator: boolean
  cause?: string | null
}

/**
 * The finding of an operator (specification.md#endpoints). `detail` is the result, `evidence` refers to its proof.
 */
export interface Resolution {
  outcome: 'executed' | 'execution_failed'
  note: string
  evidence: string | null
  detail: JsonObject
  identity?: SessionIdentity
}

/**
 * Records the finding of an operator. Refuses a finding that contradicts a late result.
 * model: resolve
 */
export function resolve(operator: Principal, resolution: Resolution): Decide {
  const { outcome, note, evidence, detail, ...by } = resolution
  const said = { source: 'operator', note, evidence, ...by }
  return action => {
    const job = action.job
    const trigger = outcome === 'executed' ? 'resolve_executed' : 'resolve_failed'
    if (job?.state !== 'unknown') return illegal(action, trigger)
    if (outcome === 'execution_failed' && action.proven) return refused({ reason: 'contradicted' })
    const { attempt } = job
    const payload =
      outcome === 'executed'
        ? { ...said, outcome: 'ok', attempt, result: { ok: true, detail } }
        : { ...said, outcome: 'failed', attempt, error: { code: 'resolved_by_operator', message: note } }
    return move(action, trigger, operator, { payload, job: settled(job) })
  }
}

function recorded({ code, message, body }: Problem): JsonObject {
  return { code, message, ...(body === undefined ? {} : { body }) }
}

/** Refuses a round that another round has overtaken, so that only the first of the two records its finding. */
function duringRound(
  round: Round,
  decide: (action: ActionState, job: JobRecord) => ReturnType<Decide>,
): Decide {
  return action => {
    const job = action.job
    if (job?.state !== 'unknown' || job.rounds !== round.rounds) return refused({ reason: 'fenced' })
    return decide(action, job)
  }
}

function settled(job: JobRecord) {
  return changeJob(job, { state: 'done', needs_operator: false })
}
