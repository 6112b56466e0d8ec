import { inSnapshot, readConfigEnd, readConfigPage } from '../../store/log/audit-walk.ts'
import type { Store } from '../../store/postgres/open.ts'
import { type Counters, differs } from './check-counters.ts'
import { checkInForce } from './check-in-force.ts'
import { checkPart } from './check-stream.ts'

export interface ConfigsCursor {
  after: string
  at: {
    tenant_id: string
    /** The number of events when the check of the stream began; later events are left to the next check. */
    count: number
    last_leaf: string | null
    sequence: number
    prev: string | null
  } | null
}

/**
 * Checks one page of a tenant's configuration stream, and after its last page also the configuration in force.
 * Returns the next cursor, or null at the end.
 */
export async function checkConfigPage(
  { store, tally, rowsAtOnce }: { store: Store; tally: Counters; rowsAtOnce: number },
  cursor: ConfigsCursor,
): Promise<ConfigsCursor | null> {
  const { at } = cursor
  if (at === null) return beginStream(store, cursor.after, tally)
  const { tenant_id, sequence: from, count } = at
  const where = `configuration of ${tenant_id}`
  const to = Math.min(from + Math.ceil(rowsAtOnce / 4), count)
  const page = await inSnapshot(store, query => readConfigPage(query, { tenant_id, from, to }))
  const stream = { tenantId: tenant_id, name: 'config', erasedBefore: 0, waiting: page.waiting }
  const { hexLeaves, problem } = checkPart(stream, page.events, { first: from, prev: at.prev }, tally)
  tally.counted.events += page.events.length
  const prev = hexLeaves.at(-1) ?? at.prev
  const sequence = from + hexLeaves.length
  if (problem === null && sequence === to && to < count) return { ...cursor, at: { ...at, sequence, prev } }
  if (problem !== null) differs(tally, where, problem)
  else if (sequence < to)
    differs(tally, where, `the tenant says that it has ${count} events, and there are ${sequence}`)
  else if (prev !== at.last_leaf)
    differs(tally, where, 'config_last_leaf of the tenant is not that of its last event')
  else await checkInForce({ store, tally }, tenant_id)
  tally.counted.tenants += 1
  return { after: tenant_id, at: null }
}

async function beginStream(store: Store, after: string, tally: Counters): Promise<ConfigsCursor | null> {
  const end = await inSnapshot(store, query => readConfigEnd(query, after))
  if (end === null) return null
  const { more, ...rest } = end
  if (more)
    differs(
      tally,
      `configuration of ${end.tenant_id}`,
      `there are events beyond the ${end.count} of the tenant`,
    )
  return { after, at: { ...rest, sequence: 0, prev: null } }
}
