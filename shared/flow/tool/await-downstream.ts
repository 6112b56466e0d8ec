import { limits } from '../../contract/base/limits.ts'
import type { Author } from '../../contract/configuration/tenant.ts'
import { createHeldPlaces } from '../../runtime/room.ts'
import { principalOf } from '../core/change-config.ts'

const places = createHeldPlaces()

/**
 * Runs work that waits for an external system, a few at once per tenant and author, so that a hanging system does
 * not block other requests. Once half the room is taken, each author may have one. Returns null if there is no
 * room in this process.
 */
export async function awaitDownstream<Answer>(
  { tenant_id, author }: { tenant_id: string; author: Author },
  work: () => Promise<Answer>,
): Promise<Answer | null> {
  const { downstream_waits_max: all, downstream_waits_per_asker_max: ofAsker } = limits
  const isCrowded = places.full([{ name: 'all', most: all / 2 }]) !== null
  const holders = [
    { name: 'all', most: all },
    { name: `tenant ${tenant_id}`, most: limits.downstream_waits_per_tenant_max },
    { name: `asker ${principalOf(author).id}`, most: isCrowded ? 1 : ofAsker },
  ]
  if (places.full(holders)) return null
  const leave = places.take(holders)
  try {
    return await work()
  } finally {
    leave()
  }
}
