import type { Finding } from '../contract/actuator.ts'
import type { Actuator, Inquiry } from './actuator.ts'
import { reasonOf } from './reason-of.ts'
import { soundFinding } from './sound-answer.ts'

/** Look up what became of a key and always come back with a finding, at the latest when the signal aborts. */
export async function lookUp(actuator: Actuator, inquiry: Inquiry): Promise<Finding> {
  if (!actuator.lookup) return unclear('no_lookup', `${actuator.name} offers no look-up`)
  let onAbort: () => void = () => undefined
  const aborted = new Promise<Finding>(resolve => {
    onAbort = () => resolve(unclear('no_answer_in_time', 'the look-up did not answer in time'))
    inquiry.signal.addEventListener('abort', onAbort, { once: true })
  })
  try {
    return await Promise.race([actuator.lookup(inquiry).then(soundFinding), aborted])
  } catch (error) {
    return unclear('lookup_threw', reasonOf(error))
  } finally {
    inquiry.signal.removeEventListener('abort', onAbort)
  }
}

function unclear(code: string, message: string): Finding {
  return { found: 'unclear', code, message }
}
