import { compareInForce, type OtherInForce } from '../../store/log/audit-walk-in-force.ts'
import type { Store } from '../../store/postgres/open.ts'
import { type Counters, differs, isUnproven, listedMax } from './check-counters.ts'

/**
 * Checks that a tenant's keys, revisions, freezes, actuators, webhooks and reports follow from the events of its
 * configuration stream and from nothing else. One snapshot holds events and tables.
 */
export async function checkInForce(
  { store, tally }: { store: Store; tally: Counters },
  tenantId: string,
): Promise<void> {
  const where = `configuration of ${tenantId}`
  const found = await compareInForce(store, tenantId, listedMax)
  if (typeof found === 'string') {
    differs(tally, where, `an event of it cannot be read: ${found}`)
    return
  }
  const { compared, differing, listed, keys_elsewhere } = found
  tally.counted.in_force += compared
  for (const other of listed) differs(tally, where, wordsOf(other))
  tally.differences.found += differing - listed.length
  if (keys_elsewhere > 0) isUnproven(tally, 'keys that are not in this database', where, keys_elsewhere)
}

function wordsOf({ thing, told, stored, members }: OtherInForce): string {
  if (!told) return `${thing}: it is stored, and no event put it in force`
  if (!stored) return `${thing}: the events say that it is in force, and it is not stored`
  const words = (members ?? []).map(
    member => `${member.name} is ${short(member.stored)} and by the events ${short(member.told)}`,
  )
  return `${thing}: ${words.join(', ')}`
}

function short(value: unknown): string {
  const text = JSON.stringify(value ?? null)
  return text.length > shownMax ? `${text.slice(0, shownMax)}…` : text
}

/** A value is cut at this length, which leaves a hash whole. */
const shownMax = 100
