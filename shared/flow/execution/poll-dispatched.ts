import { pollOnce, readCallback } from '../../actuator/invoke.ts'
import type { Registry, Unavailable } from '../../actuator/registry.ts'
import type { Principal } from '../../contract/action/audit.ts'
import type { JsonValue } from '../../contract/base/json.ts'
import type { Outcome } from '../../contract/configuration/actuator-schema.ts'
import { settleDispatched } from '../../lifecycle/execute.ts'
import { createStopwatch } from '../../runtime/clock.ts'
import { openDeadline } from '../../runtime/deadline.ts'
import {
  type DispatchedAction,
  type PollBounds,
  polledName,
  postponeDispatched,
  takeCalledBack,
  takePolls,
} from '../../store/job/dispatched-operations.ts'
import { callbackUrl } from '../core/callback-url.ts'
import { changeActions } from '../core/change-action.ts'
import { timing } from '../core/configured.ts'
import type { Context } from '../core/context.ts'
import { type Bound, bind, callOf, isSameRequest } from '../core/execution-binding.ts'

export interface Poller {
  worker: Principal
  registry: Registry
}

export interface DueOperation {
  tenant_id: string
  /** The system's name, unique over all tenants, by which the room for polls counts it. */
  system: string
  /**
   * Asks the downstream about the operation, but never sends it again. A clear answer ends it; otherwise it waits
   * until its deadline, and then its outcome is unknown. `next_ms` is the delay of the next question in
   * milliseconds, null if none is planned; `silent` is true if the downstream did not answer in time.
   */
  make(): Promise<Asking>
}

export interface Asking {
  next_ms: number | null
  silent: boolean
}

/** Takes operations with a callback to judge; they queue behind no poll, since they ask no downstream. */
export async function takeCallbacks(
  context: Context,
  poller: Poller,
  limit: number,
): Promise<DueOperation[]> {
  const bounds = { worker: poller.worker.id, limit, lease_ms: leaseMs(context) }
  return operationsOf(
    context,
    poller,
    await context.store.write('all', writer => takeCalledBack(writer, bounds)),
  )
}

export type PollsUnderWay = Omit<PollBounds, 'worker' | 'lease_ms'>

export async function takeDuePolls(
  context: Context,
  poller: Poller,
  room: PollsUnderWay,
): Promise<DueOperation[]> {
  const bounds = { worker: poller.worker.id, lease_ms: leaseMs(context), ...room }
  return operationsOf(context, poller, await context.store.write('all', writer => takePolls(writer, bounds)))
}

/** Twice the longest time of one question, so that its answer is recorded under the same lease. */
const leaseMs = ({ config }: Context): number => 2 * config.lease_ms

async function operationsOf(
  context: Context,
  poller: Poller,
  due: readonly DispatchedAction[],
): Promise<DueOperation[]> {
  if (due.length > 0) await context.reach('poll_taken')
  return due.map(action => ({
    tenant_id: action.tenant_id,
    system: polledName(action.tenant_id, action.target_system),
    make: () => askAlone(context, { ...poller, action }),
  }))
}

interface Asked {
  worker: Principal
  registry: Registry
  action: DispatchedAction
}

/** Catches the error of one question, so that the others go on; it is due again when its lease ends. */
async function askAlone(context: Context, asked: Asked): Promise<Asking> {
  try {
    return await ask(context, asked)
  } catch (error) {
    context.events.failed('poll_dispatched', error, { action_id: asked.action.action_id })
    return { next_ms: null, silent: false }
  }
}

async function ask(context: Context, asked: Asked): Promise<Asking> {
  const { worker, action } = asked
  const said = await outcomeOf(context, asked)
  const silent = said.class !== 'ok' && said.code === 'no_answer_in_time'
  if (said.class === 'busy' || said.class === 'retry') {
    const retryMs = 'retry_after_ms' in said ? (said.retry_after_ms ?? 0) : 0
    const read = action.called_back !== null
    const ms = read
      ? Math.min(action.dispatched.interval_ms, readAgainMs)
      : Math.max(action.dispatched.interval_ms, retryMs)
    const { action_id, tenant_id, token } = action
    const next_ms = await context.store.write([tenant_id], writer =>
      postponeDispatched(writer, { action_id, token, ms, read }),
    )
    return { next_ms, silent }
  }
  const { action_id, tenant_id, token } = action
  const read = action.called_back !== null
  const decide = settleDispatched({ worker, token, outcome: said, ...timing(context) }, { hasRead: read })
  const [settled] = await changeActions(context, [{ action_id, tenant_id, decide }])
  if (settled?.ok === false && settled.error.reason === 'called_back') {
    const next_ms = await context.store.write([tenant_id], writer =>
      postponeDispatched(writer, { action_id, token, ms: 0, read: true }),
    )
    return { next_ms, silent }
  }
  if (settled && !settled.ok) context.events.writeFenced({ action_id })
  return { next_ms: null, silent }
}

/** Milliseconds until a worker without the actuator tries to judge a callback again. */
const readAgainMs = 2_000

function timeIsOver({ dispatched }: DispatchedAction): Outcome {
  const message = `the downstream accepted it, and did not say within ${dispatched.deadline_ms} ms how it ended`
  return { class: 'unknown', code: 'completion_deadline', message }
}

/**
 * Returns the outcome so far: `busy` if this worker lacks the actuator and cannot ask. A callback counts even
 * after the deadline.
 */
async function outcomeOf(context: Context, { registry, action }: Asked): Promise<Outcome> {
  const bound = asAttempted(action, registry)
  const called = 'code' in bound ? null : await calledBack(context, bound, action)
  if (called) return called
  if (action.over) return timeIsOver(action)
  if ('code' in bound) return { class: 'busy', ...bound }
  if (action.dispatched.url !== null) return askDownstream(context, action, bound)
  const message = 'the downstream calls back when it ended'
  return { class: 'busy', code: 'not_called_back', message }
}

function asAttempted(action: DispatchedAction, registry: Registry): Bound | Unavailable {
  const bound = bind(action, registry)
  if ('code' in bound || isSameRequest(bound, action.request_hash)) return bound
  return { code: 'actuator_changed', message: 'it was attempted as it was registered before' }
}

async function calledBack(
  context: Context,
  { actuator, proposal }: Bound,
  action: DispatchedAction,
): Promise<Outcome | null> {
  const { called_back, tenant_id, over } = action
  if (called_back === null) return null
  const said = await readCallback(actuator, {
    tenant_id,
    operation: proposal.action.operation,
    callback_url: callbackUrl(context, action),
    body: JSON.parse(called_back) as JsonValue,
    isLast: over,
  })
  return said.class === 'ok' || said.class === 'failed' ? said : null
}

async function askDownstream(context: Context, action: DispatchedAction, bound: Bound): Promise<Outcome> {
  const { execution_ms_max, lease_ms } = context.config
  const askedMs = Math.min(execution_ms_max, lease_ms)
  const deadline = openDeadline(context.ending.signal, askedMs)
  const since = createStopwatch()
  const span = context.tracer.begin('client', action.traceparent)
  const { attempt, not_after } = action
  const timeLeftMs = (): number => askedMs - since()
  const said = await pollOnce(bound.actuator, action.dispatched, {
    ...callOf(action, bound),
    ...{ attempt, not_after, traceparent: span.traceparent, timeLeftMs },
    signal: deadline.signal,
    callback_url: callbackUrl(context, action),
    isLate: () => timeLeftMs() <= 0,
  }).finally(deadline.clear)
  span.end({
    name: `poll ${bound.kind}`,
    attributes: { 'action_gate.action_id': action.action_id, 'action_gate.outcome': said.class },
    failed: said.class === 'failed',
  })
  return said.class === 'unknown' ? { ...said, class: 'busy' } : said
}
