import type { Finding, Outcome } from '../contract/configuration/actuator-schema.ts'
import type { Dispatched } from '../contract/configuration/completion.ts'
import { unlessAborted } from '../runtime/deadline.ts'
import {
  type Accepted,
  type Actuator,
  type CalledBack,
  type Invocation,
  type ReconcileAttempt,
  TooLate,
} from './actuator.ts'
import { reasonOf } from './recorded-text.ts'
import { soundFinding, soundOutcome } from './sound-answer.ts'

/**
 * Calls an actuator and always returns an outcome, at the latest when the signal aborts. An error, a
 * malformed answer or a missing answer counts as unknown, because the call may have had an effect.
 */
export async function invoke(actuator: Actuator, invocation: Invocation): Promise<Outcome | Accepted> {
  const { signal } = invocation
  if (signal.aborted) return { class: 'retry', code: 'not_sent', message: abortReason(signal) }
  if (invocation.isLate()) return { class: 'retry', code: 'not_sent', message: new TooLate().message }
  try {
    const answer = await unlessAborted(actuator.invoke(invocation), signal)
    return isAccepted(actuator, answer) ? answer : judged(actuator, invocation, soundOutcome(answer))
  } catch (error) {
    return judged(
      actuator,
      invocation,
      signal.aborted
        ? { class: 'unknown', code: 'no_answer_in_time', message: abortReason(signal) }
        : { class: 'unknown', code: 'actuator_threw', message: reasonOf(error) },
    )
  }
}

/** Turns an unknown outcome of a read into a retry, because a read changes nothing. */
function judged(actuator: Actuator, { operation }: Invocation, outcome: Outcome): Outcome {
  if (outcome.class !== 'unknown' || !actuator.changesNothing?.(operation)) return outcome
  return { ...outcome, class: 'retry' }
}

export async function readCallback(actuator: Actuator, called: CalledBack): Promise<Outcome> {
  if (!actuator.calledBack) return goesOn('no_callback', `${actuator.name} is not called back`)
  try {
    return soundOutcome(await actuator.calledBack(called))
  } catch (error) {
    return goesOn('callback_threw', reasonOf(error))
  }
}

function isAccepted({ poll }: Actuator, answer: Outcome | Accepted): answer is Accepted {
  return poll !== undefined && answer?.class === 'accepted'
}

/**
 * Polls an accepted operation once. Only `ok` and `failed` end the operation; any other answer leaves it
 * running.
 */
export async function pollOnce(
  actuator: Actuator,
  dispatched: Dispatched,
  invocation: Invocation,
): Promise<Outcome> {
  const { signal } = invocation
  if (!actuator.poll) return goesOn('no_poll', `${actuator.name} cannot be asked`)
  try {
    return soundOutcome(await unlessAborted(actuator.poll(dispatched, invocation), signal))
  } catch (error) {
    if (signal.aborted) return goesOn('no_answer_in_time', abortReason(signal))
    return goesOn('poll_threw', reasonOf(error))
  }
}

function goesOn(code: string, message: string): Outcome {
  return { class: 'busy', code, message }
}

function abortReason(signal: AbortSignal): string {
  return reasonOf(signal.reason)
}

/** Looks up an idempotency key and always returns a finding, at the latest when the signal aborts. */
export async function lookUp(actuator: Actuator, attempt: ReconcileAttempt): Promise<Finding> {
  if (!actuator.lookup) return unclear('no_lookup', `${actuator.name} offers no look-up`)
  const { signal } = attempt
  try {
    return soundFinding(await unlessAborted(actuator.lookup(attempt), signal))
  } catch (error) {
    if (signal.aborted) return unclear('no_answer_in_time', 'the look-up did not answer in time')
    return unclear('lookup_threw', reasonOf(error))
  }
}

function unclear(code: string, message: string): Finding {
  return { found: 'unclear', code, message }
}
