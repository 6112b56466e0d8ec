import type { Issue } from '../../contract/base/errors.ts'
import type { JsonObject } from '../../contract/base/json.ts'
import { groupsOf } from '../../gate/compiled-policy.ts'
import type { Query } from '../../store/postgres/open.ts'
import {
  listRoutes,
  type NamedRef,
  type StoredGroup,
  type StoredRoute,
} from '../../store/tenant/route-rows.ts'
import type { ConfigEntry } from '../core/change-config.ts'

export function groupEntry(change: 'written' | 'deleted', { name, members }: StoredGroup): ConfigEntry {
  return { kind: 'review_group', payload: { change, name, members: members as unknown as JsonObject[] } }
}

export async function routesWith(query: Query, { tenant_id, name }: NamedRef): Promise<StoredRoute[]> {
  return (await listRoutes(query, tenant_id)).filter(({ route }) => groupsOf(route).includes(name))
}

/** Warns about routes whose actions nobody can approve, because their group is empty. */
export async function withoutPeople(query: Query, ref: NamedRef): Promise<Issue[]> {
  return (await routesWith(query, ref)).map(route => ({
    path: 'members',
    code: 'group_without_members',
    message: `nobody is in ${ref.name}: what the route ${route.name} of ${ref.tenant_id} holds cannot be approved`,
  }))
}
