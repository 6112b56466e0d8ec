import { makeDeliveries as makeStored } from '../store/due-deliveries.ts'
import type { Context } from './context.ts'

/**
 * Make the messages about what the logs of these tenants have taken up, or the logs of all. Returns whether there are new
 * ones. A pass that is lost is made up for by the next: positions only move together with what they passed.
 */
export async function makeDeliveries(
  context: Context,
  tenantIds: readonly string[] | null,
): Promise<boolean> {
  let some = false
  for (let more = true; more; ) {
    const done = await context.store.write('all', async writer => {
      const made = await makeStored(writer, tenantIds)
      if (made.made > 0) await context.reach('messages_made')
      return made
    })
    some ||= done.made > 0
    more = done.more
  }
  return some
}
