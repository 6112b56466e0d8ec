import { setTimeout as delay } from 'node:timers/promises'
import { invoke } from '../actuator/invoke.ts'
import type { Outcome } from '../contract/actuator.ts'
import type { Principal } from '../contract/audit.ts'
import { settle } from '../lifecycle/decide.ts'
import { monotonicMs } from '../runtime/clock.ts'
import { openDeadline } from '../runtime/deadline.ts'
import { jitter } from '../runtime/ids.ts'
import { createLane } from '../runtime/lane.ts'
import { type Amended, type Amendment, amendActions } from './amend-action.ts'
import type { ClaimedJob } from './claim-jobs.ts'
import type { Context } from './context.ts'

export interface Runner {
  /** Call the actuator of a claimed job and record what it came to; `leaseLost` aborts the call. */
  run(job: ClaimedJob, leaseLost: AbortSignal): Promise<void>
}

const settleGroupMax = 64
const recordRetryMs = 200

/** Runs claimed jobs; outcomes that are ready together are recorded in one transaction. */
export function createRunner(context: Context, worker: Principal): Runner {
  const record = createLane<Amendment, Amended>({
    size_max: settleGroupMax,
    lanes: 1,
    run: amendments => amendActions(context, amendments),
  })
  return {
    async run(job, leaseLost) {
      const outcome = await call(context, job, leaseLost)
      const { retry_ms_min, retry_ms_max } = context.config
      const terms = { retry_ms_min, retry_ms_max }
      const decide = settle({ worker, token: job.token, outcome, terms, jitter: jitter() })
      const { action_id, tenant_id } = job
      const recorded = await persistently(context, leaseLost, () => record({ action_id, tenant_id, decide }))
      if (recorded && !recorded.ok) context.events.writeFenced(action_id)
    },
  }
}

/** Try to record as long as the lease is held; null when it was lost first: then the sweeper judges the attempt. */
async function persistently<Answer>(
  context: Context,
  leaseLost: AbortSignal,
  attempt: () => Promise<Answer>,
): Promise<Answer | null> {
  for (;;) {
    try {
      return await attempt()
    } catch (error) {
      context.events.failed('record_outcome', error)
      if (leaseLost.aborted) return null
      await delay(recordRetryMs)
    }
  }
}

async function call(context: Context, job: ClaimedJob, leaseLost: AbortSignal): Promise<Outcome> {
  const begun = monotonicMs()
  if (begun - job.claimed_at > context.config.lease_ms / 2) {
    return {
      class: 'retry',
      code: 'claimed_too_late',
      message: 'half of the lease was over before the call began',
    }
  }
  const { action } = job.proposal
  const deadline = openDeadline(leaseLost, context.config.execution_ms_max)
  const outcome = await invoke(job.actuator, {
    tenant_id: job.tenant_id,
    action_id: job.action_id,
    idempotency_key: job.idempotency_key,
    attempt: job.attempt,
    target_system: action.target_system,
    operation: action.operation,
    parameters: action.parameters,
    signal: deadline.signal,
  }).finally(deadline.clear)
  context.events.attempted(job.kind, outcome.class, monotonicMs() - begun)
  return outcome
}
