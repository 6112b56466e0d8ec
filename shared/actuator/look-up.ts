import { type Finding, findingSchema } from '../contract/actuator.ts'
import type { Actuator, Inquiry } from './actuator.ts'

/** Look up what became of a key and always come back with a finding, at the latest when the signal aborts. */
export async function lookUp(actuator: Actuator, inquiry: Inquiry): Promise<Finding> {
  if (!actuator.lookup) return unclear('no_lookup', `${actuator.name} offers no look-up`)
  let onAbort: () => void = () => undefined
  const aborted = new Promise<Finding>(resolve => {
    onAbort = () => resolve(unclear('no_answer_in_time', 'the look-up did not answer in time'))
    inquiry.signal.addEventListener('abort', onAbort, { once: true })
  })
  try {
    return await Promise.race([answer(actuator.lookup(inquiry)), aborted])
  } catch (error) {
    return unclear('lookup_threw', error instanceof Error ? error.message : String(error))
  } finally {
    inquiry.signal.removeEventListener('abort', onAbort)
  }
}

async function answer(looking: Promise<unknown>): Promise<Finding> {
  const finding = findingSchema.safeParse(await looking)
  return finding.success
    ? finding.data
    : unclear('invalid_finding', 'the look-up answered in a shape that is not a finding')
}

function unclear(code: string, message: string): Finding {
  return { found: 'unclear', code, message: message.slice(0, 500) }
}
