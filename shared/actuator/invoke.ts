import { type Outcome, outcomeSchema } from '../contract/actuator.ts'
import type { Actuator, Invocation } from './actuator.ts'

/**
 * Call an actuator and always come back with a class, at the latest when the signal aborts: what it throws, returns in
 * a wrong shape, or does not return in time may have had an effect, so it is unknown.
 */
export async function invoke(actuator: Actuator, invocation: Invocation): Promise<Outcome> {
  const { signal } = invocation
  if (signal.aborted) return { class: 'retry', code: 'not_sent', message: abortReason(signal) }
  let onAbort: () => void = () => undefined
  const aborted = new Promise<Outcome>(resolve => {
    onAbort = () => resolve({ class: 'unknown', code: 'no_answer_in_time', message: abortReason(signal) })
    signal.addEventListener('abort', onAbort, { once: true })
  })
  try {
    return await Promise.race([answer(actuator, invocation), aborted])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

async function answer(actuator: Actuator, invocation: Invocation): Promise<Outcome> {
  try {
    const outcome = outcomeSchema.safeParse(await actuator.invoke(invocation))
    if (outcome.success) return outcome.data
    return {
      class: 'unknown',
      code: 'invalid_outcome',
      message: 'the actuator answered in a shape that is not an outcome',
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return { class: 'unknown', code: 'actuator_threw', message: reason.slice(0, 500) }
  }
}

function abortReason(signal: AbortSignal): string {
  return signal.reason instanceof Error ? signal.reason.message : 'the call was aborted'
}
