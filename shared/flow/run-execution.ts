import { setTimeout as delay } from 'node:timers/promises'
import { invoke } from '../actuator/invoke.ts'
import type { Outcome } from '../contract/actuator.ts'
import type { Principal } from '../contract/audit.ts'
import { settle } from '../lifecycle/execute.ts'
import { findExecuted } from '../lifecycle/reconcile.ts'
import { monotonicMs } from '../runtime/clock.ts'
import { openDeadline } from '../runtime/deadline.ts'
import { createLane } from '../runtime/lane.ts'
import { insertLateResult } from '../store/inquiries.ts'
import { type Amended, type Amendment, amendActions } from './amend-action.ts'
import type { ClaimedJob } from './claim-jobs.ts'
import type { Context } from './context.ts'
import { timing } from './timing.ts'

export interface Runner {
  /** Call the actuator of a claimed job and record what it came to; `leaseLost` aborts the call. */
  run(job: ClaimedJob, leaseLost: AbortSignal): Promise<void>
}

const settleGroupMax = 64
const recordRetryMs = 200
const evidenceRetriesMax = 150

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
      await context.reach('call_answered')
      const { action_id, tenant_id, token } = job
      const decide = settle({ worker, token, outcome, ...timing(context) })
      const recorded = await persistently(context, leaseLost, () => record({ action_id, tenant_id, decide }))
      if (recorded?.ok) return
      context.events.writeFenced(action_id)
      if (outcome.class === 'ok') await recordLateResult(context, worker, job, outcome.detail)
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

/**
 * A result that came after its lease cannot be recorded as the outcome, but it proves that the action happened: it is
 * kept, and settles an outcome that is unknown (reliability section 3.4). A late refusal proves nothing and is dropped.
 */
async function recordLateResult(
  context: Context,
  worker: Principal,
  job: ClaimedJob,
  detail: Extract<Outcome, { class: 'ok' }>['detail'],
): Promise<void> {
  const { action_id, tenant_id, token } = job
  for (let tries = 1; ; tries += 1) {
    try {
      const late = { action_id, tenant_id, token, worker: worker.id, detail }
      await context.store.write([tenant_id], writer => insertLateResult(writer, late))
      const decide = findExecuted(worker, 'late_result', detail)
      const [settled] = await amendActions(context, [{ action_id, tenant_id, decide }])
      return context.events.lateResult(action_id, settled?.ok === true)
    } catch (error) {
      context.events.failed('record_late_result', error)
      if (tries >= evidenceRetriesMax) return
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
  const deadline = openDeadline(leaseLost, context.config.execution_ms_max)
  const outcome = await invoke(job.actuator, { ...job.call, signal: deadline.signal }).finally(deadline.clear)
  context.events.attempted(job.kind, outcome.class, monotonicMs() - begun)
  return outcome
}
