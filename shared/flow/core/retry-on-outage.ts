import { setTimeout as delay } from 'node:timers/promises'
import { isOutage } from '../../runtime/outage.ts'

const pausesMs = [50, 250]

/**
 * Make an attempt again when the database was out of reach, which is longer than a restart of a connection and shorter
 * than a caller's patience; longer outages are the caller's to see. The answer of a commit may have been lost: `again`
 * tells an attempt that an earlier one may have been committed.
 */
export async function retryOnOutage<Answer>(attempt: (again: boolean) => Promise<Answer>): Promise<Answer> {
  for (const [tries, pauseMs] of pausesMs.entries()) {
    try {
      return await attempt(tries > 0)
    } catch (error) {
      if (!isOutage(error)) throw error
      await delay(pauseMs)
    }
  }
  return attempt(true)
}
