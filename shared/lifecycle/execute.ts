import type { Principal } from '../contract/action/audit.ts'
import type { JsonObject } from '../contract/base/json.ts'
import type { Outcome } from '../contract/configuration/actuator-schema.ts'
import { type Result, refused } from '../result.ts'
import type { ActionState, CalledBack, Change, JobRecord } from './change.ts'
import { attemptsLeft, changeJob, type RetryTerms, reconcileDelayMs, retryDelayMs, spread } from './job.ts'
import { type Decide, illegal, move, type Refusal } from './move.ts'
import type { Trigger } from './transition.ts'

const system: Principal = { id: 'sweeper', kind: 'system' }

export interface Claim {
  worker: Principal
  token: number
  lease_ms: number
  idempotency_key: string
  /** The deadline for the downstream, which the request names; ISO 8601, UTC. */
  not_after: string
  actuator: JsonObject
  /** The hash of the approved request; null if no approval was needed. */
  request_hash: string | null
  key_honoured: boolean
  /** The time after which attempts without effect are not retried. The first attempt sets it; ISO 8601, UTC. */
  retry_until: string
}

/**
 * Takes the lease and records the coming call ahead of it: attempt, token, idempotency key. An attempt that may
 * have had an effect is repeated only if the downstream honours the key, because it would otherwise run twice.
 * model: claim
 */
export function claim(terms: Claim): Decide {
  return action => {
    const job = action.job
    const repeatable = terms.key_honoured || !(job?.maybe_executed || action.proven)
    if (job?.state !== 'pending' || !repeatable) return illegal(action, 'claim')
    const attempt = job.attempt + 1
    const { token, idempotency_key, not_after, actuator, request_hash } = terms
    return move(action, 'claim', terms.worker, {
      payload: {
        ...{ attempt, token, idempotency_key, not_after, actuator },
        ...(request_hash === null ? {} : { request_hash }),
      },
      job: changeJob(job, {
        state: 'leased',
        attempt,
        lease_token: token,
        lease_owner: terms.worker.id,
        lease_ms: terms.lease_ms,
        key_honoured: terms.key_honoured,
        retry_until: job.retry_until ?? terms.retry_until,
      }),
    })
  }
}

/** The terms for the next delay; `jitter` from 0 to 1 spreads it by ±20 %. */
export interface Timing {
  terms: RetryTerms
  jitter: number
}

/**
 * Ends an action without a call, because its request changed or no actuator can run it. The outcome is unknown
 * rather than failed if an earlier attempt may have had an effect.
 * model: refuse
 */
export function refuse(worker: Principal, error: { code: string; message: string }, timing: Timing): Decide {
  return action => {
    const job = action.job
    if (job?.state !== 'pending') return illegal(action, 'refuse')
    const doubtful = job.maybe_executed || action.proven
    const { trigger, outcome } = doubtful
      ? ({ trigger: 'lose', outcome: 'unknown' } as const)
      : ({ trigger: 'refuse', outcome: 'failed' } as const)
    return move(action, trigger, worker, {
      payload: { outcome, attempt: job.attempt, error },
      job: changeJob(job, {
        state: doubtful ? 'unknown' : 'done',
        run_in_ms: doubtful ? untilRound(job, timing) : 0,
        last_error: error.code,
      }),
    })
  }
}

export interface Settlement extends Timing {
  worker: Principal
  token: number
  outcome: Outcome
  /** True if no request of this action ever had an effect; absent if that is not known. */
  changes_nothing?: boolean
}

/**
 * Records the outcome of an attempt only while its fencing token is current, so that an expired lease cannot
 * settle. An unknown outcome is refused if a callback came before, because the callback decides it.
 * model: settle
 */
export function settle(settlement: Settlement): Decide {
  return settleUnless(
    settlement,
    called => called !== 'done_before' && settlement.outcome.class === 'unknown',
  )
}

function settleUnless(settlement: Settlement, isReadFirst: (called: CalledBack) => boolean): Decide {
  return action => {
    const job = action.job
    if (job?.state !== 'leased' || job.lease_token !== settlement.token) return refused({ reason: 'fenced' })
    if (job.called_back !== null && isReadFirst(job.called_back)) return refused({ reason: 'called_back' })
    return conclude(action, job, settlement)
  }
}

/**
 * Records the outcome of an operation that the downstream had accepted. An unknown outcome is never retried, since
 * a second call would start a second operation. A caller that has not read a callback yet must read it first. In
 * the model it is `settle`, without a key that is honoured.
 */
export function settleDispatched(settlement: Settlement, { hasRead }: { hasRead: boolean }): Decide {
  const settled = settleUnless(settlement, called => called !== 'done_before' && !hasRead)
  return action => settled(action.job ? { ...action, job: { ...action.job, key_honoured: false } } : action)
}

/**
 * Settles an expired lease as unknown, because the attempt may have had its effect; the token is spent.
 * model: judge
 */
export function judgeExpiredLease(timing: Timing): Decide {
  return action => {
    const job = action.job
    if (job?.state !== 'leased' || !job.lease_expired) return refused({ reason: 'fenced' })
    const outcome: Outcome = {
      class: 'unknown',
      code: 'lease_expired',
      message: `worker ${job.lease_owner ?? 'unknown'} did not report within its lease`,
    }
    const lost = { ...job, leases_lost: job.leases_lost + 1 }
    return conclude(action, lost, { outcome, worker: system, token: job.lease_token, ...timing })
  }
}

function conclude(action: ActionState, job: JobRecord, said: Settlement): Result<Change, Refusal> {
  const beside = besideCallback[job.called_back ?? 'nothing'][said.outcome.class]
  if (beside === 'contradicts')
    return record(action, job, { ...said, outcome: contradiction(said, job) }, true)
  if (beside === 'ends') return record(action, job, { ...said, outcome: failedFor(said.outcome) }, false)
  return record(action, job, said, false)
}

/**
 * The effect of a callback's report on an outcome. A contradiction makes the outcome unknown, and a reported
 * failure ends the retries. `done_before` contradicts nothing, because it is about an earlier attempt
 * (specification.md#unknown-outcomes).
 */
const besideCallback: Record<
  CalledBack | 'nothing',
  Record<Outcome['class'], 'counts' | 'contradicts' | 'ends'>
> = {
  nothing: { ok: 'counts', unknown: 'counts', failed: 'counts', retry: 'counts', busy: 'counts' },
  done_before: { ok: 'counts', unknown: 'counts', failed: 'counts', retry: 'counts', busy: 'counts' },
  done: { ok: 'counts', unknown: 'counts', failed: 'contradicts', retry: 'contradicts', busy: 'contradicts' },
  failed: { ok: 'contradicts', unknown: 'counts', failed: 'counts', retry: 'ends', busy: 'ends' },
}

function contradiction({ outcome }: Settlement, { called_back }: JobRecord): Outcome {
  const answer = outcome.class === 'ok' ? 'that it was done' : `${outcome.code}: ${outcome.message}`
  const message = `the downstream called back that it ${called_back === 'done' ? 'was done' : 'failed'}, and answered ${answer}`
  return { class: 'unknown', code: 'conflicting_evidence', message }
}

/** Turns a retryable outcome into a failure, because a callback said that the operation failed. */
function failedFor(outcome: Outcome): Outcome {
  if (outcome.class === 'ok') return outcome
  const { code, message, body } = outcome
  return { class: 'failed', code, message, ...(body === undefined ? {} : { body }) }
}

function record(
  action: ActionState,
  job: JobRecord,
  settlement: Settlement,
  isContradiction: boolean,
): Result<Change, Refusal> {
  const { outcome } = settlement
  const leftMs = timeLeftMs(action, job)
  const proven = action.proven || isContradiction
  const maybe_executed = job.maybe_executed && settlement.changes_nothing !== true
  const trigger = settleTrigger(outcome, { ...job, maybe_executed }, { timeLeft: leftMs > 0, proven })
  const error = outcome.class === 'ok' ? null : failureOf(outcome)
  return move(action, trigger, settlement.worker, {
    payload: {
      outcome: recordedOutcome[trigger],
      attempt: job.attempt,
      token: settlement.token,
      ...(outcome.class === 'ok'
        ? { result: { ok: true, detail: outcome.detail } }
        : { error, class: outcome.class }),
      ...(outcome.rule === undefined ? {} : { rule: outcome.rule }),
    },
    job: changeJob(job, {
      state: jobStateAfter[trigger],
      maybe_executed: maybe_executed || outcome.class === 'unknown',
      uncounted: job.uncounted + Number(hadNoEffect(outcome)),
      run_in_ms: runInMs[trigger](job, settlement, leftMs),
      last_error: error?.code ?? null,
      needs_operator: isContradiction,
    }),
  })
}

function failureOf({ code, message, body }: Exclude<Outcome, { class: 'ok' }>) {
  return { code, message, ...(body === undefined ? {} : { body }) }
}

const recordedOutcome = { succeed: 'ok', fail: 'failed', retry: 'retry', lose: 'unknown' } as const
const jobStateAfter = { succeed: 'done', fail: 'done', retry: 'pending', lose: 'unknown' } as const
const runInMs = {
  succeed: () => 0,
  fail: () => 0,
  retry: untilRetry,
  lose: untilRound,
} as const

function timeLeftMs({ at }: ActionState, { retry_until }: JobRecord): number {
  return retry_until === null ? 0 : Date.parse(retry_until) - Date.parse(at)
}

/**
 * Returns the back-off, or the longer delay that the downstream asks for, up to a maximum. The delay never passes
 * the end of the retry time, so that a last attempt starts then.
 */
function untilRetry(job: JobRecord, { outcome, terms, jitter }: Settlement, leftMs: number): number {
  const asked = 'retry_after_ms' in outcome ? (outcome.retry_after_ms ?? 0) : 0
  const backOff = spread(retryDelayMs(job.attempt, terms), jitter)
  const delayMs = Math.max(backOff, Math.min(asked, terms.retry_after_ms_max))
  return hadNoEffect(outcome) ? Math.min(delayMs, leftMs) : delayMs
}

function untilRound(job: JobRecord, { terms, jitter }: Timing): number {
  return spread(reconcileDelayMs(job.rounds, terms), jitter)
}

type Settling = Extract<Trigger, 'succeed' | 'fail' | 'retry' | 'lose'>

/**
 * Picks the trigger from the outcome and the earlier attempts. An attempt without effect is retried until the
 * retry time ends. An attempt that may have had an effect is repeated only if attempts are left and the downstream
 * honours the key.
 */
function settleTrigger(
  outcome: Outcome,
  job: JobRecord,
  { timeLeft, proven }: { timeLeft: boolean; proven: boolean },
): Settling {
  if (outcome.class === 'ok') return 'succeed'
  if (proven) return 'lose'
  if (outcome.class === 'unknown') return attemptsLeft(job) && job.key_honoured ? 'retry' : 'lose'
  if (hadNoEffect(outcome) && timeLeft) return 'retry'
  return job.maybe_executed ? 'lose' : 'fail'
}

function hadNoEffect(outcome: Outcome): boolean {
  return outcome.class === 'retry' || outcome.class === 'busy'
}
