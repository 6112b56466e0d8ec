import { tookTooLong } from '../../runtime/outage.ts'
import { makeDeliveries as makeStored } from '../../store/webhook/due-deliveries.ts'
import type { Context } from '../core/context.ts'

const entriesAtOnce = 2_000
const leftOfPass = 1 / 8

/**
 * Creates the messages about new log entries of these tenants, or of all; returns true if there are new ones. A
 * lost pass is repeated by the next, because positions move in the transaction that creates the messages.
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
