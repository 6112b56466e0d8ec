import type { Invocation } from '../../actuator/actuator.ts'
import type { Registry, Unavailable } from '../../actuator/registry.ts'
import type { Principal } from '../../contract/action/audit.ts'
import { ServiceError } from '../../contract/base/errors.ts'
import { claim, refuse } from '../../lifecycle/execute.ts'
import { ok } from '../../result.ts'
import { createStopwatch, laterBy, monotonicMs, type Stopwatch } from '../../runtime/clock.ts'
import { tookTooLong, waitedInVain } from '../../runtime/outage.ts'
import { appendChanges } from '../../store/action/ledger.ts'
import type { LockedAction } from '../../store/action/locked-actions.ts'
import type { SealedChange } from '../../store/action/sealed-change.ts'
import {
  type ClaimBounds,
  type ClaimReport,
  type DueAction,
  lockDueJobs,
  type TakenJobs,
} from '../../store/job/claim/due-jobs.ts'
import { passClaims } from '../../store/job/claim/tenant-rotation.ts'
import { renewLeases as renewStored } from '../../store/job/jobs.ts'
import { callbackUrl } from '../core/callback-url.ts'
import { announce, leftBy, sealChange } from '../core/change-action.ts'
import { timing } from '../core/configured.ts'
import type { Context } from '../core/context.ts'
import {
  asApproved,
  type Bound,
  bind,
  callOf,
  isRepeatable,
  isSameRequest,
} from '../core/execution-binding.ts'
import { inFlightBounds } from './call-shares.ts'

/** A job whose lease this worker holds: everything the call of its actuator needs. */
export interface ClaimedJob extends Pick<Bound, 'actuator' | 'kind'> {
  action_id: string
  tenant_id: string
  token: number
  /** The action as the claim left it. */
  left: LockedAction
  call: Omit<Invocation, 'signal' | 'traceparent' | 'isLate' | 'timeLeftMs'>
  lease: HeldLease
  /** Started before the claim was sent: `not_after` certainly comes no earlier than the deadline of a call after that. */
  since: Stopwatch
  /** Where its proposal stood in the caller's trace, or null. */
  traceparent: string | null
  /** On the monotonic clock, from before the claim was sent: the lease certainly ends no earlier than this plus it. */
  claimed_at: number
}

export interface Claimer extends Pick<ClaimBounds, 'limit' | 'after' | 'since' | 'shares' | 'taken'> {
  worker: Principal
  registry: Registry
}

/** As a worker counts them: those of one system of a tenant. */
export type JobsOfSystem = TakenJobs

export interface Claimed extends ClaimReport {
  jobs: ClaimedJob[]
}

/**
 * Take the leases of due jobs, up to `limit`, in one transaction that also writes ahead that their actuators are about
 * to be called. What would run is compared with what was decided; a mismatch ends the action before any effect.
 */
export async function claimJobs(context: Context, claimer: Claimer): Promise<Claimed> {
  const claimed = { at: monotonicMs(), since: createStopwatch() }
  const bounds = { ...inFlightBounds(context.config), ...claimer }
  const { judged, changes, report } = await context.store.write('all', async writer => {
    const { due, report } = await lockDueJobs(writer, bounds)
    for (const { at } of due.slice(0, 1)) context.databaseClock.heard(at)
    const judged = due.map(row => judgeAlone(context, claimer, row, claimed))
    const changes = judged.flatMap(({ change }) => change ?? [])
    await appendChanges(writer, changes)
    if (judged.length > 0) await context.reach('claim_written')
    return { judged, changes, report }
  })
  if (judged.length > 0) await context.reach('claim_committed')
  announce(context, changes.map(ok))
  return { jobs: judged.flatMap(({ job }) => job ?? []), ...report }
}

/** From before the claim was sent. */
interface ClaimTime {
  at: number
  since: Stopwatch
}

interface Judged {
  job: ClaimedJob | null
  change: SealedChange | null
}

/** One row decides for no other: what cannot be judged ends its own action, and says so. */
function judgeAlone(context: Context, claimer: Claimer, row: DueAction, claimed: ClaimTime): Judged {
  try {
    return judge(context, claimer, row, claimed)
  } catch (error) {
    context.events.failed('claim_row', error, { action_id: row.action_id })
    const problem = { code: 'not_claimable', message: 'what is stored of it cannot be made a call' }
    return refused(context, claimer, row, problem)
  }
}

function refused(context: Context, { worker }: Claimer, row: DueAction, problem: Unavailable): Judged {
  const decided = refuse(worker, problem, timing(context))(row)
  return { job: null, change: decided.ok ? sealChange(row, decided.value) : null }
}

function judge(context: Context, claimer: Claimer, row: DueAction, claimed: ClaimTime): Judged {
  const bound = repeatable(row, asApproved(row, bind(row, claimer.registry)))
  if ('code' in bound) return refused(context, claimer, row, bound)
  const { actuator, kind, request_hash } = bound
  const { action_id, tenant_id, token, traceparent } = row
  const call = callOf(row, bound)
  const not_after = laterBy(row.at, context.config.execution_ms_max)
  const decided = claim({
    worker: claimer.worker,
    token,
    lease_ms: context.config.lease_ms,
    idempotency_key: call.idempotency_key,
    not_after,
    actuator: {
      name: actuator.name,
      kind,
      idempotency: actuator.idempotency,
      ...(request_hash === null ? {} : { request_hash }),
    },
    request_hash: bound.approved_request,
    key_honoured: actuator.idempotency === 'key_honoured',
    retry_until: laterBy(row.at, bound.execute_within_ms ?? context.config.execute_within_ms),
  })(row)
  if (!decided.ok) return { job: null, change: null }
  context.events.claimed(row.waited_ms)
  const attempt = decided.value.job?.attempt ?? 0
  const callback_url = callbackUrl(context, { tenant_id, action_id, attempt })
  const change = sealChange(row, decided.value)
  const job = {
    action_id,
    tenant_id,
    token,
    left: leftBy(change, row),
    actuator,
    kind,
    call: { attempt, not_after, callback_url, ...call },
    traceparent,
    claimed_at: claimed.at,
    since: claimed.since,
    lease: holdLease(claimed.since, context.config.lease_ms),
  }
  return { job, change }
}

/** What may have happened already is only done again where the downstream takes it for the same request. */
function repeatable(row: DueAction, bound: Bound | Unavailable): Bound | Unavailable {
  if (row.proven) return { code: 'late_result', message: 'a result that came late says that it happened' }
  if ('code' in bound || row.tried_for_ms === null) return bound
  if (isRepeatable(bound.actuator, row.tried_for_ms) && isSameRequest(bound, row.request_hash)) return bound
  return {
    code: 'repeat_not_safe',
    message: `an earlier attempt may have happened, and ${bound.actuator.name} would not take another for the same`,
  }
}

/** A claim of several statements takes longer than one only where its worker or the database hangs. */
const statementsOfClaim = 2

/**
 * Answer for a change that claims must see, which is committed: once no claim that did not see it can commit any more.
 * It waits after the commit, and not before it: so no claim waits for the change, and a worker that hangs while it claims
 * does not keep the change from being in force. Whoever is told that one hangs may send the same again.
 */
export async function afterClaims<Answer>(
  { store, config }: Context,
  tenantId: string,
  answer: Answer,
): Promise<Answer> {
  const until = monotonicMs() + statementsOfClaim * config.statement_ms_max
  for (;;) {
    try {
      await store.write([tenantId], writer => passClaims(writer, tenantId))
      return answer
    } catch (error) {
      if (!waitedInVain(error) && !tookTooLong(error)) throw error
      if (monotonicMs() >= until) throw new ServiceError('storage_unavailable', stillClaiming)
    }
  }
}

const stillClaiming =
  'the change is in force; a claim from before it has not ended, so a job may still begin: send it again to be told when none can'

/** A lease as its holder knows it: in the database it certainly lasts as long. */
interface HeldLease {
  /** `since` was started before the renewal was sent. */
  renewed(since: Stopwatch): void
  over(): boolean
}

/** `since` was started before the claim was sent. */
export function holdLease(since: Stopwatch, leaseMs: number): HeldLease {
  let elapsed = since
  return {
    renewed(later) {
      elapsed = later
    },
    over: () => elapsed() >= leaseMs,
  }
}

/** Extend the leases of running jobs; the answer holds the tokens of those that are still held. */
export async function renewLeases(
  context: Context,
  jobs: readonly Pick<ClaimedJob, 'action_id' | 'token'>[],
): Promise<ReadonlySet<number>> {
  return context.store.write('all', writer => renewStored(writer, jobs, context.config.lease_ms))
}
