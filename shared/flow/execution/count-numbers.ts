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
const entriesAtOnce = 1_000
/** Rounds per sweep, because a long log would otherwise delay the sweep, and no count is urgent. */
const roundsMax = 10

/**
 * Counts the new log entries of each tenant in turn. One transaction stores a tenant's numbers and position, so
 * that a crash neither loses an entry nor counts it twice.
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
