import { type Issue, ServiceError } from '../../contract/base/errors.ts'
import type { JsonObject } from '../../contract/base/json.ts'
import { limits } from '../../contract/base/limits.ts'
import type { ChangedRoute, Route, RouteRequest } from '../../contract/configuration/route-schema.ts'
import type { Author } from '../../contract/configuration/tenant.ts'
import { frozenRoute, groupsOf, routeHash } from '../../gate/compiled-policy.ts'
import type { Query } from '../../store/postgres/open.ts'
import {
  deleteRoute as deleteStored,
  listGroups,
  listRoutes as listStored,
  type NamedRef,
  type StoredGroup,
  type StoredRoute,
  writeRoute,
} from '../../store/tenant/route-rows.ts'
import { tenantExists } from '../../store/tenant/tenant-rows.ts'
import { changeConfig } from '../core/change-config.ts'
import type { Context } from '../core/context.ts'

export async function listRoutes(context: Context, tenantId: string): Promise<{ routes: Route[] }> {
  return context.store.look([tenantId], async query => {
    if (!(await tenantExists(query, tenantId)))
      throw new ServiceError('tenant_not_found', `no tenant ${tenantId}`)
    const [routes, groups] = [await listStored(query, tenantId), await listGroups(query, tenantId)]
    return { routes: routes.map(route => routeView(route, groups)) }
  })
}

/** Writes a route for future proposals; held actions keep the route in their verdict. */
export async function putRoute(
  context: Context,
  ref: NamedRef,
  { request, author }: { request: RouteRequest; author: Author },
): Promise<ChangedRoute> {
  refuseForeign(context, request)
  return changeConfig(context, ref.tenant_id, author, async query => {
    const groups = await listGroups(query, ref.tenant_id)
    refuseUnknown(request, groups)
    await refuseMany(query, ref)
    const stored = await writeRoute(query, ref, request)
    const route = routeView(stored, groups)
    const payload = { change: 'written', ...storedPayload(stored) }
    return {
      answer: { ...route, warnings: route.groups_without_members.map(emptyGroup) },
      entry: { kind: 'review_route', payload },
      governs: true,
    }
  })
}

/** Deletes a route; any approver may then decide future actions that it would have covered. */
export async function deleteRoute(context: Context, ref: NamedRef, author: Author): Promise<Route> {
  return changeConfig(context, ref.tenant_id, author, async query => {
    const stored = await deleteStored(query, ref)
    if (!stored) throw new ServiceError('route_not_found', `tenant ${ref.tenant_id} has no route ${ref.name}`)
    const payload = { change: 'deleted', ...storedPayload(stored) }
    return {
      answer: routeView(stored, await listGroups(query, ref.tenant_id)),
      entry: { kind: 'review_route', payload },
      governs: true,
    }
  })
}

export function emptyGroup(group: string): Issue {
  return {
    path: 'required',
    code: 'group_without_members',
    message: `${group} has no members: what needs it cannot be approved`,
  }
}

function routeView({ name, route, updated_at }: StoredRoute, groups: readonly StoredGroup[]): Route {
  const filled = new Set(groups.filter(({ members }) => members.length > 0).map(group => group.name))
  const frozen = frozenRoute(name, route, filled)
  return {
    name,
    ...route,
    hash: routeHash(frozen),
    groups_without_members: frozen.groups_without_members ?? [],
    updated_at: updated_at.toISOString(),
  }
}

function storedPayload({ name, route }: StoredRoute): JsonObject {
  const hash = routeHash(frozenRoute(name, route, new Set()))
  return { name, route: route as unknown as JsonObject, hash }
}

function refuseUnknown(request: RouteRequest, groups: readonly StoredGroup[]): void {
  const unknown = groupsOf(request).find(group => !groups.some(({ name }) => name === group))
  if (unknown !== undefined) throw new ServiceError('group_not_found', `the tenant has no group ${unknown}`)
}

/** Rejects an unknown issuer, because the service could sign in no one there and so no one could decide. */
function refuseForeign({ config }: Context, { issuer }: RouteRequest): void {
  if (issuer === undefined || [...config.oidc_issuers.values()].some(known => known.issuer === issuer)) return
  const issue = { path: 'issuer', code: 'unknown_issuer', message: 'is no issuer where people sign in here' }
  throw new ServiceError('validation_failed', `issuer ${issue.message}`, [issue])
}

async function refuseMany(query: Query, { tenant_id, name }: NamedRef): Promise<void> {
  const others = (await listStored(query, tenant_id)).filter(route => route.name !== name)
  if (others.length >= limits.routes_per_tenant_max) throw new ServiceError('too_many_routes')
}
