import type { CountedEvent, HourNumbers } from '../../contract/action/numbers-schema.ts'
import { countEvent, countedKinds, hourOf, noNumbers } from '../../lifecycle/hour-numbers.ts'
import {
  keepHours,
  lockMark,
  readHours,
  readUncounted,
  uncountedTenants,
} from '../../store/action/number-rows.ts'
import type { Writer } from '../../store/postgres/open.ts'
import type { Context } from '../core/context.ts'

const tenantsAtOnce = 100
/** Entries of one log in one transaction. */
const entriesAtOnce = 1_000
/** In one sweep: many entries are not the work of minutes, and none of this is urgent. */
const roundsMax = 10

/**
 * Count what the logs have grown by, tenants in turn. Numbers and mark of a tenant are kept in one transaction, so a crash
 * loses nothing and counts nothing twice; accepting and deciding do not know of it.
 */
export async function countNumbers(context: Context): Promise<void> {
  for (let round = 0; round < roundsMax; round += 1) {
    const tenants = await context.store.read('all', reader => uncountedTenants(reader, tenantsAtOnce))
    if (tenants.length === 0) break
    for (const tenantId of tenants)
      await context.store.write([tenantId], writer => countLog(writer, tenantId))
  }
}

async function countLog(writer: Writer, tenantId: string): Promise<void> {
  const from = await lockMark(writer, tenantId)
  const { entries, events } = await readUncounted(writer, {
    tenantId,
    from,
    limit: entriesAtOnce,
    kinds: countedKinds,
  })
  if (entries === 0) return
  const byHour = eventsByHour(events)
  const kept = await readHours(writer, tenantId, [...byHour.keys()])
  const known = new Map(kept.map(({ hour, numbers }) => [hour, numbers]))
  const hours = new Map<string, HourNumbers>()
  for (const [hour, ofHour] of byHour)
    hours.set(hour, ofHour.reduce(countEvent, known.get(hour) ?? noNumbers))
  await keepHours(writer, tenantId, { hours, counted: from + entries })
}

/** What has no time counts nothing. */
function eventsByHour(events: readonly CountedEvent[]): ReadonlyMap<string, CountedEvent[]> {
  const byHour = new Map<string, CountedEvent[]>()
  for (const event of events) {
    const hour = hourOf(event.at)
    if (!hour) continue
    const ofHour = byHour.get(hour)
    if (ofHour) ofHour.push(event)
    else byHour.set(hour, [event])
  }
  return byHour
}
