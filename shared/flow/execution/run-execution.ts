import { setTimeout as delay } from 'node:timers/promises'
import type { Accepted } from '../../actuator/actuator.ts'
import { invoke } from '../../actuator/invoke.ts'
import type { Principal } from '../../contract/action/audit.ts'
import type { Outcome } from '../../contract/configuration/actuator-schema.ts'
import { settle } from '../../lifecycle/execute.ts'
import { findExecuted } from '../../lifecycle/reconciliation.ts'
import { createBatcher } from '../../runtime/batcher.ts'
import { monotonicMs } from '../../runtime/clock.ts'
import { openDeadline, unlessAborted } from '../../runtime/deadline.ts'
import { isLost } from '../../runtime/outage.ts'
import type { About } from '../../runtime/telemetry/events.ts'
import { idsOf, type Span } from '../../runtime/telemetry/tracer.ts'
import type { SealedChange } from '../../store/action/sealed-change.ts'
import { keepAddress, keepDispatched, leaveToCallback } from '../../store/job/dispatched-operations.ts'
import { insertLateResult } from '../../store/job/reconcile-attempts.ts'
import {
  type ChangeOutcome,
  changeActions,
  changeLeased,
  type LeasedActionChange,
} from '../core/change-action.ts'
import { timing } from '../core/configured.ts'
import type { Context } from '../core/context.ts'
import type { ClaimedJob } from './claim-jobs.ts'

export interface Runner {
  /**
   * Calls the actuator of a claimed job, reports when it has answered and records the outcome; `over` aborts the
   * call.
   */
  run(job: ClaimedJob, over: AbortSignal, answered: () => void): Promise<void>
}

const settleGroupMax = 64
const recordRetryMsMin = 200
const recordRetryMsMax = 1_000

/**
 * Runs claimed jobs and records simultaneous outcomes in one transaction. An answer is kept until it is recorded,
 * however long the database is away; once `abandoned` is aborted, the log names the unrecorded ones. `dispatched`
 * reports the delay until an accepted call is first polled.
 */
export function createRunner(
  context: Context,
  worker: Principal,
  { abandoned, dispatched }: { abandoned: AbortSignal; dispatched(dueInMs: number): void },
): Runner {
  const record = createBatcher<LeasedActionChange, ChangeOutcome>({
    size_max: settleGroupMax,
    groups_max: 1,
    gathers: true,
    isOfAll: isLost,
    run: changes => changeLeased(context, changes),
  })
  return {
    async run(job, over, answered) {
      const { action_id, tenant_id, token, left } = job
      const span = context.tracer.begin('client', job.traceparent)
      const about = { action_id, ...idsOf(span) }
      const attempt = { job, span, about }
      const outcome = await call(context, attempt, over)
      endSpan(attempt, outcome)
      answered()
      await context.reach('call_answered')
      if (outcome.class === 'accepted') {
        const keep = () => keepAccepted(context, job, outcome)
        const kept = await persistently(context, { where: 'keep_dispatched', about, abandoned }, keep)
        if (kept === null) return
        if (kept.due_ms === null) context.events.writeFenced(about)
        else dispatched(kept.due_ms)
        return
      }
      const changes_nothing = job.actuator.changesNothing?.(job.call.operation) ?? false
      const decide = settle({ worker, token, outcome, changes_nothing, ...timing(context) })
      const recorded = await persistently(context, { where: 'record_outcome', about, abandoned }, () =>
        record({ action_id, tenant_id, left, decide }),
      )
      if (recorded === null) return
      const evidence = { worker, job, about, abandoned }
      if (recorded.ok) tellContradiction(context, about, recorded.value)
      else if (recorded.error.reason !== 'called_back') await keepUnrecorded(context, evidence, outcome)
      else if (await leaveToReader(context, evidence)) dispatched(0)
    },
  }
}

function tellContradiction(context: Context, about: About, { change: { job } }: SealedChange): void {
  if (job?.needs_operator) context.events.contradicted(about)
}

/** Leaves an attempt to the reader of its callback; false if it was judged elsewhere, null if the process ends. */
function leaveToReader(
  context: Context,
  { job: { action_id, tenant_id, token }, about, abandoned }: Evidence,
): Promise<boolean | null> {
  return persistently(context, { where: 'keep_dispatched', about, abandoned }, () =>
    context.store.write([tenant_id], writer => leaveToCallback(writer, { action_id, token })),
  )
}

/** Handles an outcome that may no longer be recorded; a success is kept as a late result. */
async function keepUnrecorded(context: Context, evidence: Evidence, outcome: Outcome): Promise<void> {
  context.events.writeFenced(evidence.about)
  if (outcome.class === 'ok') await recordLateResult(context, evidence, outcome.detail)
}

/**
 * Stores an accepted call for polling. `due_ms` is null if the lease was lost and the attempt judged; then only
 * the address is stored, at which reconcile rounds ask.
 */
async function keepAccepted(
  context: Context,
  { action_id, tenant_id, token, call: { attempt } }: ClaimedJob,
  { dispatched }: Accepted,
): Promise<{ due_ms: number | null }> {
  const due_ms = await context.store.write([tenant_id], async writer => {
    const due = await keepDispatched(writer, { action_id, token, dispatched })
    if (due !== null) await context.reach('operation_written')
    else await keepAddress(writer, { action_id, attempt, dispatched })
    return due
  })
  if (due_ms !== null) await context.reach('operation_kept')
  return { due_ms }
}

/** Retries until the outcome is recorded; returns null if the process ends first. */
async function persistently<Answer>(
  context: Context,
  { where, about, abandoned }: { where: string; about: About; abandoned: AbortSignal },
  attempt: () => Promise<Answer>,
): Promise<Answer | null> {
  for (let waitMs = recordRetryMsMin; ; waitMs = Math.min(2 * waitMs, recordRetryMsMax)) {
    try {
      return await unlessAborted(attempt(), abandoned)
    } catch (error) {
      context.events.failed(where, error, about)
      if (abandoned.aborted) return null
      await delay(waitMs)
    }
  }
}

/**
 * Keeps a result that came after its lease: it cannot be the recorded outcome, but it proves that the action
 * happened and settles an unknown outcome (specification.md#unknown-outcomes). A late refusal is dropped, because
 * it proves nothing.
 */
async function recordLateResult(
  context: Context,
  { worker, job, about, abandoned }: Evidence,
  detail: Extract<Outcome, { class: 'ok' }>['detail'],
): Promise<void> {
  const { action_id, tenant_id, token } = job
  const keep = async (): Promise<{ settled: boolean; contradicts: boolean }> => {
    const late = { action_id, tenant_id, token, worker: worker.id, detail }
    const { contradicts } = await context.store.write([tenant_id], writer => insertLateResult(writer, late))
    const decide = findExecuted(worker, 'late_result', detail)
    const [settled] = await changeActions(context, [{ action_id, tenant_id, decide }])
    return { settled: settled?.ok === true, contradicts }
  }
  const kept = await persistently(context, { where: 'record_late_result', about, abandoned }, keep)
  if (kept === null) return
  context.events.lateResult(about, kept.settled)
  if (kept.contradicts) context.events.contradicted(about)
}

interface Evidence {
  worker: Principal
  job: ClaimedJob
  about: About
  abandoned: AbortSignal
}

interface Attempt {
  job: ClaimedJob
  span: Span
  about: About
}

async function call(
  context: Context,
  { job, span, about }: Attempt,
  over: AbortSignal,
): Promise<Outcome | Accepted> {
  const begun = monotonicMs()
  if (begun - job.claimed_at > context.config.lease_ms / 2) {
    return {
      class: 'retry',
      code: 'claimed_too_late',
      message: 'half of the lease was over before the call began',
    }
  }
  const deadline = openDeadline(over, context.config.execution_ms_max)
  const { traceparent } = span
  const timeLeftMs = (): number => context.config.execution_ms_max - job.since()
  const isLate = (): boolean => job.lease.over() || timeLeftMs() <= 0
  const called = { traceparent, signal: deadline.signal, isLate, timeLeftMs, ...job.call }
  const outcome = await invoke(job.actuator, called).finally(deadline.clear)
  const { kind, tenant_id, actuator } = job
  context.events.attempted(about, {
    tenant_id,
    system: actuator.name,
    kind,
    attempt: job.call.attempt,
    outcome: outcome.class,
    tookMs: monotonicMs() - begun,
  })
  return outcome
}

function endSpan({ job, span }: Attempt, outcome: Outcome | Accepted): void {
  span.end({
    name: `execute ${job.kind}`,
    attributes: {
      'action_gate.action_id': job.action_id,
      'action_gate.tenant_id': job.tenant_id,
      'action_gate.target_system': job.call.target_system,
      'action_gate.attempt': job.call.attempt,
      'action_gate.outcome': outcome.class,
    },
    failed: outcome.class !== 'ok' && outcome.class !== 'accepted',
  })
}
