import type { Finding } from '../contract/configuration/actuator.ts'
import { unlessAborted } from '../runtime/deadline.ts'
import type { Actuator, ReconcileAttempt } from './actuator.ts'
import { reasonOf } from './reason-of.ts'
import { soundFinding } from './sound-answer.ts'

/** Look up what became of a key and always come back with a finding, at the latest when the signal aborts. */
export async function lookUp(actuator: Actuator, inquiry: ReconcileAttempt): Promise<Finding> {
  if (!actuator.lookup) return unclear('no_lookup', `${actuator.name} offers no look-up`)
  const { signal } = inquiry
  try {
    return soundFinding(await unlessAborted(actuator.lookup(inquiry), signal))
  } catch (error) {
    if (signal.aborted) return unclear('no_answer_in_time', 'the look-up did not answer in time')
    return unclear('lookup_threw', reasonOf(error))
  }
}

function unclear(code: string, message: string): Finding {
  return { found: 'unclear', code, message }
}
