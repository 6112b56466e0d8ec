import { tookTooLong } from '../../runtime/outage.ts'
import { makeDeliveries as makeStored } from '../../store/webhook/due-deliveries.ts'
import type { Context } from '../core/context.ts'

/** Entries of logs in one pass, and what is left of that for the next one where a statement took too long. */
const entriesAtOnce = 2_000
const leftOfPass = 1 / 8

/**
 * Make the messages about what the logs of these tenants have taken up, or the logs of all. Returns whether there are new
 * ones. A pass that is lost is made up for by the next: positions only move together with what they passed.
 */
export async function makeDeliveries(
  context: Context,
  tenantIds: readonly string[] | null,
): Promise<boolean> {
  let some = false
  let entries = entriesAtOnce
  for (let more = true; more; ) {
    const done = await makeSome(context, tenantIds, entries)
    some ||= done !== null && done.made > 0
    more = done?.more ?? true
    if (done === null) entries = Math.ceil(entries * leftOfPass)
  }
  return some
}

/** One pass; null where so many entries take longer than a statement may. */
async function makeSome(context: Context, tenantIds: readonly string[] | null, entries: number) {
  try {
    return await context.store.write('all', async writer => {
      const made = await makeStored(writer, tenantIds, entries)
      if (made.made > 0) await context.reach('messages_made')
      return made
    })
  } catch (error) {
    if (entries === 1 || !tookTooLong(error)) throw error
    context.events.failed('make_messages', error)
    return null
  }
}
