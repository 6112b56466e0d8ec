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

export interface ClaimedJob extends Pick<Bound, 'actuator' | 'kind'> {
  action_id: string
  tenant_id: string
  token: number
  left: LockedAction
  call: Omit<Invocation, 'signal' | 'traceparent' | 'isLate' | 'timeLeftMs'>
  lease: HeldLease
  /**
   * A stopwatch started before the claim was sent, so that no call deadline counted from it is later than
   * `not_after`.
   */
  since: Stopwatch
  traceparent: string | null
  /**
   * The monotonic time in milliseconds from before the claim was sent, so that the lease never ends before this
   * time plus its duration.
   */
  claimed_at: number
}

export interface Claimer extends Pick<ClaimBounds, 'limit' | 'after' | 'since' | 'shares' | 'taken'> {
  worker: Principal
  registry: Registry
}

export type JobsOfSystem = TakenJobs

export interface Claimed extends ClaimReport {
  jobs: ClaimedJob[]
}

/**
 * Claims up to `limit` due jobs in one transaction, which also records in advance that their actuators are about
 * to be called. Each action is compared with its decision; a mismatch ends it before any effect.
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

interface ClaimTime {
  at: number
  since: Stopwatch
}

interface Judged {
  job: ClaimedJob | null
  change: SealedChange | null
}

/**
 * Judges each row alone; a row that cannot be judged ends its own action with that error, so that the others go
 * on.
 */
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

/**
 * Allows a call that may have taken effect to be repeated only if the downstream recognises it as the same
 * request.
 */
function repeatable(row: DueAction, bound: Bound | Unavailable): Bound | Unavailable {
  if (row.proven) return { code: 'late_result', message: 'a result that came late says that it happened' }
  if ('code' in bound || row.tried_for_ms === null) return bound
  if (isRepeatable(bound.actuator, row.tried_for_ms) && isSameRequest(bound, row.request_hash)) return bound
  return {
    code: 'repeat_not_safe',
    message: `an earlier attempt may have happened, and ${bound.actuator.name} would not take another for the same`,
  }
}

/** The number of statement time limits for which `afterClaims` waits for earlier claims before it gives up. */
const statementsOfClaim = 2

/**
 * Returns the answer of a committed change once every claim that did not see it has ended. The wait comes after
 * the commit, so that no claim waits for the change and a hanging worker cannot keep it from being in force. A
 * caller who learns of a hanging claim may repeat the request.
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

/**
 * A lease by the clock of its holder, which starts before the claim is sent, so that the lease never ends later
 * here than in the database.
 */
interface HeldLease {
  /** Restarts the lease; `since` must have been started before the renewal was sent. */
  renewed(since: Stopwatch): void
  over(): boolean
}

export function holdLease(since: Stopwatch, leaseMs: number): HeldLease {
  let elapsed = since
  return {
    renewed(later) {
      elapsed = later
    },
    over: () => elapsed() >= leaseMs,
  }
}

/** Extends the leases of running jobs; returns the tokens of those that are still held. */
export async function renewLeases(
  context: Context,
  jobs: readonly Pick<ClaimedJob, 'action_id' | 'token'>[],
): Promise<ReadonlySet<number>> {
  return context.store.write('all', writer => renewStored(writer, jobs, context.config.lease_ms))
}
