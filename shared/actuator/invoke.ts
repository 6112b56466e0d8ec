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
 * Call an actuator and always come back with a class, at the latest when the signal aborts: what it throws, returns in
 * a wrong shape, or does not return in time may have had an effect, so it is unknown.
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

/** Of a read it does not matter that nobody knows what came of it. */
function judged(actuator: Actuator, { operation }: Invocation, outcome: Outcome): Outcome {
  if (outcome.class !== 'unknown' || !actuator.changesNothing?.(operation)) return outcome
  return { ...outcome, class: 'retry' }
}

/** What a downstream called back: `ok` and `failed` end it as those of a poll do. */
export async function readCallback(actuator: Actuator, called: CalledBack): Promise<Outcome> {
  if (!actuator.calledBack) return goesOn('no_callback', `${actuator.name} is not called back`)
  try {
    return soundOutcome(await actuator.calledBack(called))
  } catch (error) {
    return goesOn('callback_threw', reasonOf(error))
  }
}

/** Only what can be asked for later is dispatched. */
function isAccepted({ poll }: Actuator, answer: Outcome | Accepted): answer is Accepted {
  return poll !== undefined && answer?.class === 'accepted'
}

/** Ask what became of an operation that was accepted: `ok` and `failed` end it, and anything else says that it goes on. */
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

/** Look up what became of a key and always come back with a finding, at the latest when the signal aborts. */
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
