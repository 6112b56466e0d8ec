import { createBatcher } from '../../runtime/batcher.ts'
import { createBoundedMap } from '../../runtime/bounded-map.ts'
import { ownersOf } from '../../store/account/accounts.ts'
import type { Store } from '../../store/postgres/open.ts'

/** The organization that a tenant belongs to; null where nobody signed up for it. */
export type OrganizationOf = (tenantId: string) => Promise<string | null>

const knownMax = 10_000

/** A tenant belongs to the same organization from its beginning on: each process asks once. */
export function createOrganizationOf(store: Store, isHosted: boolean): OrganizationOf {
  const known = createBoundedMap<string | null>(knownMax)
  const find = createBatcher<string, string | null>({
    size_max: 64,
    lanes: 2,
    async run(tenantIds) {
      const owners = await store.read('all', reader => ownersOf(reader, [...new Set(tenantIds)]))
      return tenantIds.map(tenantId => owners.get(tenantId) ?? null)
    },
  })
  return async tenantId => {
    if (!isHosted) return null
    const before = known.get(tenantId)
    if (before !== undefined) return before
    const found = await find(tenantId)
    known.put(tenantId, found)
    return found
  }
}
