import { readCalledBack } from '../../actuator/http/follow-operation.ts'
import { redactsNothing } from '../../actuator/recorded-text.ts'
import { canonicalJson } from '../../canon/canonical-json.ts'
import type { Proposal } from '../../contract/action/proposal-schema.ts'
import { ServiceError } from '../../contract/base/errors.ts'
import type { JsonValue } from '../../contract/base/json.ts'
import { type Completion, deadlineOf } from '../../contract/configuration/completion.ts'
import type { HttpSettings } from '../../contract/configuration/http-actuator-schema.ts'
import { type CalledAttempt, keepCalledBack, lockCalled } from '../../store/job/dispatched-operations.ts'
import { attemptCalled } from '../core/callback-url.ts'
import type { Context } from '../core/context.ts'

/** What became of a callback: `late` where its attempt is over, `unclear` where it says neither end, or both. */
export type KeptCallback = 'kept' | 'repeated' | 'late' | 'unclear' | 'forged'

/**
 * Keep what a downstream says of an operation, for a worker to judge: at most once for an attempt, and only while nobody has
 * judged that. It changes no action. Whoever shows an address that was not made here is told that nothing is there.
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
  return context.store.write([tenant_id], async writer => {
    const found = await lockCalled(writer, { action_id, attempt })
    if (!found) return 'late'
    if (found.called) return 'repeated'
    const completion = completionOf(found)
    if (!completion || !readCalledBack(body, completion, redactsNothing)) return 'unclear'
    const kept = { action_id, attempt, body: canonicalJson(body), deadline_ms: deadlineOf(completion) }
    if (!(await keepCalledBack(writer, kept))) return 'repeated'
    await context.reach('callback_written')
    return 'kept'
  })
}

/** As it is registered now; a worker compares that with what the attempt was made by. */
function completionOf({ actuator, proposal }: CalledAttempt): Completion | undefined {
  if (actuator?.kind !== 'http' || proposal === null) return undefined
  const { operation } = (JSON.parse(proposal) as Proposal).action
  const { operations } = actuator.settings as HttpSettings
  return Object.hasOwn(operations, operation) ? operations[operation]?.completion : undefined
}
