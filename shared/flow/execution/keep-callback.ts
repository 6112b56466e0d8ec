import { readCalledBack } from '../../actuator/http/follow-operation.ts'
import { redactsNothing } from '../../actuator/recorded-text.ts'
import { canonicalJson } from '../../canon/canonical-json.ts'
import type { Principal } from '../../contract/action/audit.ts'
import type { Proposal } from '../../contract/action/proposal-schema.ts'
import { kindOf } from '../../contract/actuator-kind/kinds.ts'
import { ServiceError } from '../../contract/base/errors.ts'
import type { JsonObject, JsonValue } from '../../contract/base/json.ts'
import type { RegisteredActuator } from '../../contract/configuration/actuator-schema.ts'
import { type Completion, deadlineOf } from '../../contract/configuration/completion.ts'
import { findExecuted } from '../../lifecycle/reconciliation.ts'
import {
  type CalledAttempt,
  keepCalledBack,
  lockCalled,
  markCalledBack,
} from '../../store/job/dispatched-operations.ts'
import { insertLateResult } from '../../store/job/reconcile-attempts.ts'
import type { Writer } from '../../store/postgres/open.ts'
import { attemptCalled } from '../core/callback-url.ts'
import { changeActions } from '../core/change-action.ts'
import type { Context } from '../core/context.ts'

/**
 * The outcome of a callback: `late` if its attempt was judged before, `unclear` if it reports neither end or both,
 * and `unknown_attempt` if the address is genuine but no such attempt was made.
 */
export type KeptCallback = 'kept' | 'repeated' | 'late' | 'unclear' | 'unknown_attempt' | 'forged'

const downstream: Principal = { id: 'downstream', kind: 'system' }

/**
 * Stores a downstream's report for a worker to judge, at most once per attempt. If the attempt was judged before,
 * a success is evidence like a late result and settles an unknown outcome; a failure then proves nothing, since a
 * later attempt may have taken effect. A forged address is answered as not found.
 */
export async function keepCallback(context: Context, callback: string, body: JsonValue): Promise<void> {
  const result = await keep(context, callback, body)
  context.events.calledBack(result)
  if (result === 'forged') throw new ServiceError('not_found')
  if (result === 'kept') await context.reach('callback_kept')
}

async function keep(context: Context, callback: string, body: JsonValue): Promise<KeptCallback> {
  const called = attemptCalled(context, callback)
  if (!called) return 'forged'
  const { tenant_id, action_id, attempt } = called
  const { result, late } = await context.store.write([tenant_id], async writer => {
    const found = await lockCalled(writer, { action_id, attempt })
    if (!found) return { result: 'unknown_attempt' as const }
    if (found.called) return { result: 'repeated' as const }
    const completion = completionOf(found)
    const read = completion && readCalledBack(body, completion, redactsNothing)
    if (!read) return { result: 'unclear' as const }
    const isDone = read.class === 'ok'
    if (!found.under_way)
      return {
        result: 'late' as const,
        late: isDone && (await keepLate(writer, { tenant_id, action_id, attempt })),
      }
    const said = isDone ? 'done' : 'failed'
    const kept = {
      action_id,
      attempt,
      said,
      body: canonicalJson(body),
      deadline_ms: deadlineOf(completion),
    } as const
    if (!(await keepCalledBack(writer, kept))) return { result: 'repeated' as const }
    await context.reach('callback_written')
    return { result: 'kept' as const }
  })
  if (late) await settleLate(context, { tenant_id, action_id }, late)
  return result
}

interface LateCallback {
  detail: JsonObject
  contradicts: boolean
}

/**
 * Records that an attempt judged before was done. It stores nothing of the body, because this process opens no
 * secrets and so could not remove them from it. The negative attempt number takes the part of a fencing token.
 */
async function keepLate(
  writer: Writer,
  { tenant_id, action_id, attempt }: { tenant_id: string; action_id: string; attempt: number },
): Promise<LateCallback> {
  const detail = { called_back: 'done', attempt }
  const late = { action_id, tenant_id, token: -attempt, worker: downstream.id, detail }
  const { contradicts } = await insertLateResult(writer, late)
  markCalledBack(writer, action_id, 'done_before')
  return { detail, contradicts }
}

/** Settles the action if its outcome is unknown; any other action stays as it was decided. */
async function settleLate(
  context: Context,
  { tenant_id, action_id }: { tenant_id: string; action_id: string },
  { detail, contradicts }: LateCallback,
): Promise<void> {
  const decide = findExecuted(downstream, 'late_result', detail)
  const [settled] = await changeActions(context, [{ action_id, tenant_id, decide }])
  const about = { action_id }
  context.events.lateResult(about, settled?.ok === true)
  if (contradicts) context.events.contradicted(about)
}

function completionOf({ actuator, proposal }: CalledAttempt): Completion | undefined {
  if (!actuator || proposal === null) return undefined
  const { operation } = (JSON.parse(proposal) as Proposal).action
  return kindOf(actuator).completion(actuator.settings as RegisteredActuator['settings'], operation)
}
