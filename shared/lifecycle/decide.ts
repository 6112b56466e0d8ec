import type { Outcome } from '../contract/actuator.ts'
import type { Principal } from '../contract/audit.ts'
import type { JsonObject } from '../contract/json.ts'
import type { Decision } from '../contract/verdict.ts'
import { ok, type Result, refused } from '../result.ts'
import type { ActionState, Change, Entry, JobChange, JobRecord } from './change.ts'
import { settleTrigger } from './outcome.ts'
import { type RetryTerms, retryDelayMs } from './retry.ts'
import { type IllegalMove, next, type Transition, type Trigger } from './transition.ts'

/** Why a decision about an existing action was refused. */
export type Refusal =
  | (IllegalMove & { reason: 'illegal' })
  | { reason: 'hold_expired' }
  | { reason: 'frozen' }
  | { reason: 'fenced' }

/** A decision: pure and synchronous, so nothing can wait for the network while it holds a transaction. */
export type Decide = (action: ActionState) => Result<Change, Refusal>

const gate: Principal = { id: 'gate', kind: 'gate' }
const system: Principal = { id: 'sweeper', kind: 'system' }
const openings = { allow: 'allow', needs_approval: 'hold', deny: 'deny' } as const satisfies Record<
  Decision,
  Trigger
>

export interface Opening {
  proposer: Principal
  proposal: JsonObject
  verdict: JsonObject & { decision: Decision }
  attempts_max: number
  approval_ttl_ms: number
}

/** A new action: received, decided and, where allowed, given its job, in one change. */
export function open(opening: Opening): Change {
  const submitted = legal(null, 'submit')
  const decided = legal('received', openings[opening.verdict.decision])
  return {
    from: null,
    to: decided.to,
    entries: [entry(submitted, opening.proposer, opening.proposal), entry(decided, gate, opening.verdict)],
    job: decided.to === 'execution_pending' ? newJob(opening.attempts_max) : null,
    hold_ms: decided.to === 'pending_approval' ? opening.approval_ttl_ms : null,
  }
}

/** Approve a held action; its job is made in the same change. What is frozen can be rejected, not approved. */
export function approve(approver: Principal, payload: JsonObject, attemptsMax: number): Decide {
  return action => {
    if (action.status === 'pending_approval' && action.hold_expired)
      return refused({ reason: 'hold_expired' })
    if (action.status === 'pending_approval' && action.frozen) return refused({ reason: 'frozen' })
    return move(action, 'approve', approver, { payload, job: newJob(attemptsMax) })
  }
}

/** Reject a held action: nothing is executed. */
export function reject(approver: Principal, payload: JsonObject): Decide {
  return action => {
    if (action.status === 'pending_approval' && action.hold_expired)
      return refused({ reason: 'hold_expired' })
    return move(action, 'reject', approver, { payload, job: null })
  }
}

/** Deny an action that was held longer than its tenant's time to live; silence never approves. */
export function expire(): Decide {
  return action => {
    if (!action.hold_expired) return refused({ reason: 'illegal', status: action.status, trigger: 'expire' })
    return move(action, 'expire', system, { payload: { reason: 'approval_expired' }, job: null })
  }
}

export interface Claim {
  worker: Principal
  token: number
  lease_ms: number
  idempotency_key: string
  actuator: JsonObject
  key_honoured: boolean
}

/**
 * Take the lease and write ahead that the actuator is about to be called: attempt, token, idempotency key. What may have
 * happened already is repeated only where the key is honoured.
 */
export function claim(terms: Claim): Decide {
  return action => {
    const job = action.job
    const repeatable = terms.key_honoured || !job?.maybe_executed
    if (job?.state !== 'pending' || !repeatable)
      return refused({ reason: 'illegal', status: action.status, trigger: 'claim' })
    const attempt = job.attempt + 1
    const { token, idempotency_key, actuator } = terms
    return move(action, 'claim', terms.worker, {
      payload: { attempt, token, idempotency_key, actuator },
      job: jobChange(job, {
        state: 'leased',
        attempt,
        lease_token: token,
        lease_owner: terms.worker.id,
        lease_ms: terms.lease_ms,
        key_honoured: terms.key_honoured,
      }),
    })
  }
}

/**
 * End an action without a further call: what would run is not what was decided, or nothing can run it. Where an earlier
 * attempt may have had its effect that is not a failure: nobody knows.
 */
export function refuse(worker: Principal, code: string, message: string): Decide {
  return action => {
    const job = action.job
    if (job?.state !== 'pending')
      return refused({ reason: 'illegal', status: action.status, trigger: 'refuse' })
    const trigger = job.maybe_executed ? 'lose' : 'refuse'
    const outcome = job.maybe_executed ? 'unknown' : 'failed'
    return move(action, trigger, worker, {
      payload: { outcome, attempt: job.attempt, error: { code, message } },
      job: jobChange(job, { state: job.maybe_executed ? 'unknown' : 'done', last_error: code }),
    })
  }
}

export interface Settlement {
  worker: Principal
  token: number
  outcome: Outcome
  terms: RetryTerms
  /** 0 to 1: spreads retries by ±20 %. */
  jitter: number
}

/** Record what an attempt came to, only while its fencing token is still the current one. */
export function settle(settlement: Settlement): Decide {
  return action => {
    const job = action.job
    if (job?.state !== 'leased' || job.lease_token !== settlement.token) return refused({ reason: 'fenced' })
    return conclude(action, job, settlement)
  }
}

/** Judge a lease that ran out: the attempt may have had its effect, so it counts as unknown; the token is spent. */
export function judgeExpiredLease(settlement: Pick<Settlement, 'terms' | 'jitter'>): Decide {
  return action => {
    const job = action.job
    if (job?.state !== 'leased' || !job.lease_expired) return refused({ reason: 'fenced' })
    const outcome: Outcome = {
      class: 'unknown',
      code: 'lease_expired',
      message: `worker ${job.lease_owner ?? 'unknown'} did not report within its lease`,
    }
    return conclude(action, job, { ...settlement, outcome, worker: system, token: job.lease_token })
  }
}

function conclude(action: ActionState, job: JobRecord, settlement: Settlement): Result<Change, Refusal> {
  const { outcome, terms } = settlement
  const trigger = settleTrigger(outcome, job)
  const error = outcome.class === 'ok' ? null : { code: outcome.code, message: outcome.message }
  const spread = 0.8 + 0.4 * settlement.jitter
  return move(action, trigger, settlement.worker, {
    payload: {
      outcome: recordedOutcome[trigger],
      attempt: job.attempt,
      token: settlement.token,
      ...(outcome.class === 'ok'
        ? { result: { ok: true, detail: outcome.detail } }
        : { error, class: outcome.class }),
    },
    job: jobChange(job, {
      state: jobStateAfter[trigger],
      maybe_executed: job.maybe_executed || outcome.class === 'unknown',
      run_in_ms: trigger === 'retry' ? Math.round(retryDelayMs(job.attempt, terms) * spread) : 0,
      last_error: error?.code ?? null,
    }),
  })
}

const recordedOutcome = { succeed: 'ok', fail: 'failed', retry: 'retry', lose: 'unknown' } as const
const jobStateAfter = { succeed: 'done', fail: 'done', retry: 'pending', lose: 'unknown' } as const

interface Effect {
  payload: JsonObject
  job: JobChange | null
}

function move(
  action: ActionState,
  trigger: Trigger,
  principal: Principal,
  effect: Effect,
): Result<Change, Refusal> {
  const transition = next(action.status, trigger)
  if (!transition) return refused({ reason: 'illegal', status: action.status, trigger })
  return ok({
    from: action.status,
    to: transition.to,
    entries: [entry(transition, principal, effect.payload)],
    job: effect.job,
    hold_ms: null,
  })
}

function legal(status: Transition['from'], trigger: Trigger): Transition {
  const transition = next(status, trigger)
  if (!transition) throw new Error(`the state table has no row for ${status} and ${trigger}`)
  return transition
}

function entry(transition: Transition, principal: Principal, payload: JsonObject): Entry {
  return { kind: transition.event, from: transition.from, to: transition.to, principal, payload }
}

function newJob(attemptsMax: number): JobChange {
  return {
    state: 'pending',
    attempt: 0,
    max_attempts: attemptsMax,
    expected_token: null,
    lease_token: 0,
    lease_owner: null,
    lease_ms: null,
    run_in_ms: 0,
    maybe_executed: false,
    key_honoured: false,
    last_error: null,
  }
}

function jobChange(job: JobRecord, changed: Partial<JobChange>): JobChange {
  return {
    state: job.state,
    attempt: job.attempt,
    max_attempts: job.max_attempts,
    expected_token: job.lease_token,
    lease_token: job.lease_token,
    lease_owner: null,
    lease_ms: null,
    run_in_ms: 0,
    maybe_executed: job.maybe_executed,
    key_honoured: job.key_honoured,
    last_error: null,
    ...changed,
  }
}
