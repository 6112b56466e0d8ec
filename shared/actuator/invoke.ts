import type { Outcome } from '../contract/configuration/actuator.ts'
import { unlessAborted } from '../runtime/deadline.ts'
import type { Actuator, Invocation } from './actuator.ts'
import { TooLate } from './in-time.ts'
import { reasonOf } from './reason-of.ts'
import { soundOutcome } from './sound-answer.ts'

/**
 * Call an actuator and always come back with a class, at the latest when the signal aborts: what it throws, returns in
 * a wrong shape, or does not return in time may have had an effect, so it is unknown.
 */
export async function invoke(actuator: Actuator, invocation: Invocation): Promise<Outcome> {
  const { signal } = invocation
  if (signal.aborted) return { class: 'retry', code: 'not_sent', message: abortReason(signal) }
  if (invocation.isLate()) return { class: 'retry', code: 'not_sent', message: new TooLate().message }
  try {
    return soundOutcome(await unlessAborted(actuator.invoke(invocation), signal))
  } catch (error) {
    if (signal.aborted) return { class: 'unknown', code: 'no_answer_in_time', message: abortReason(signal) }
    return { class: 'unknown', code: 'actuator_threw', message: reasonOf(error) }
  }
}

function abortReason(signal: AbortSignal): string {
  return reasonOf(signal.reason)
}
