import { canonicalJson } from '../canon/canonical-json.ts'
import { documentHash } from '../canon/digest.ts'
import type { JsonValue } from '../contract/base/json.ts'
import type { FrozenRoute, RouteRequest } from '../contract/configuration/route-schema.ts'

/** A route as a verdict freezes it; `filled` are the groups that have somebody. */
export function frozenRoute(name: string, route: RouteRequest, filled: ReadonlySet<string>): FrozenRoute {
  const empty = groupsOf(route).filter(group => !filled.has(group))
  return { name, ...route, ...(empty.length > 0 ? { groups_without_members: empty } : {}) }
}

/** Every group that a route names, each once. */
export function groupsOf({ required, escalate }: Pick<FrozenRoute, 'required' | 'escalate'>): string[] {
  return [...new Set([...required.map(({ group }) => group), ...(escalate ? [escalate.group] : [])])]
}

/** What verdict, decisions and configuration know a route by: who was in its groups is no part of it. */
export function routeHash({ groups_without_members: _, ...route }: FrozenRoute): string {
  return documentHash('route', canonicalJson(route as unknown as JsonValue))
}
