import type { Principal } from '../../../shared/contract/action/audit.ts'
import type { ActionState, Change, JobChange, JobRecord } from '../../../shared/lifecycle/change.ts'
import type { Approval, Opening } from '../../../shared/lifecycle/decide.ts'
import type { Trigger } from '../../../shared/lifecycle/transition.ts'
import type { Result } from '../../../shared/result.ts'

export const agent: Principal = { id: 'agk_agent', kind: 'agent' }
export const approver: Principal = { id: 'apk_approver', kind: 'approver' }
export const worker: Principal = { id: 'wrk_1', kind: 'worker' }
export const terms = {
  retry_ms_min: 100,
  retry_ms_max: 10_000,
  retry_after_ms_max: 60_000,
  reconcile_ms_min: 1_000,
}

/** Every trigger there is; the type check fails when one is missing. */
export const triggers = Object.keys({
  submit: 0,
  allow: 0,
  hold: 0,
  deny: 0,
  approve: 0,
  approve_partly: 0,
  reject: 0,
  expire: 0,
  cancel: 0,
  comment: 0,
  request_changes: 0,
  supersede: 0,
  escalate: 0,
  claim: 0,
  refuse: 0,
  succeed: 0,
  fail: 0,
  retry: 0,
  lose: 0,
  find_executed: 0,
  find_failed: 0,
  find_absent: 0,
  repeat: 0,
  find_nothing: 0,
  resolve_executed: 0,
  resolve_failed: 0,
  erase: 0,
} satisfies Record<Trigger, 0>) as Trigger[]

export function opening(decision: Opening['verdict']['decision'], attemptsMax = 5): Opening {
  return {
    proposer: agent,
    proposal: { proposal_id: 'p-1' },
    verdict: { decision },
    attempts_max: attemptsMax,
    approval_ttl_ms: 60_000,
  }
}

export function action(state: Partial<ActionState> = {}): ActionState {
  return {
    action_id: 'act_1',
    tenant_id: 'acme',
    at: '2026-11-21T00:00:00.000Z',
    status: 'pending_approval',
    event_count: 2,
    hold_expired: false,
    frozen: false,
    quorum: null,
    key_id: agent.id,
    proposal_hash: 'sha256:1',
    planned_hash: null,
    proven: false,
    job: null,
    ...state,
  }
}

export function pendingJob(state: Partial<JobRecord> = {}): JobRecord {
  return {
    state: 'pending',
    attempt: 0,
    max_attempts: 5,
    lease_owner: null,
    lease_token: 0,
    lease_expired: false,
    maybe_executed: false,
    key_honoured: false,
    rounds: 0,
    uncounted: 0,
    leases_lost: 0,
    retry_until: null,
    needs_operator: false,
    called_back: null,
    ...state,
  }
}

export function leasedJob(state: Partial<JobRecord> = {}): JobRecord {
  const leased = { state: 'leased', attempt: 1, lease_owner: worker.id, lease_token: 7 } as const
  return pendingJob({ ...leased, retry_until: '2026-11-21T01:00:00.000Z', ...state })
}

export function approval(payload: Approval['payload'] = {}, attempts_max = 5): Approval {
  return { approver, payload, attempts_max, proposal_hash: null, request_hash: null }
}

/** The change of a decision that must not be refused. */
export function changeOf(decided: Result<Change, unknown>): Change {
  if (!decided.ok) throw new Error(`refused: ${JSON.stringify(decided.error)}`)
  return decided.value
}

export function jobOf(change: Change): JobChange {
  if (!change.job) throw new Error('the change has no job')
  return change.job
}
