import type { RecordedVerdict } from '../../contract/action/action.ts'
import type { HeldRoute } from '../../contract/configuration/route-schema.ts'
import { groupsOf } from '../../gate/compiled-policy.ts'
import { holderOf } from '../../lifecycle/holder.ts'
import { isOnRoute, missingOf } from '../../lifecycle/route.ts'
import { approvalsGiven, type Counting } from '../../lifecycle/trace.ts'
import type { Reader } from '../../store/postgres/open.ts'
import { type RoutePeople, readPeople } from '../../store/tenant/route-rows.ts'
import { type Context, keyHolder } from '../core/context.ts'

export type Viewer = { key_id: string } | { account_id: string }

export interface HeldRoutes {
  people: ReadonlyMap<string, RoutePeople>
  holder: string | null
}

const withoutRoutes: HeldRoutes = { people: new Map(), holder: null }

export async function viewerHolder(context: Context, viewer: Viewer): Promise<string | null> {
  return 'account_id' in viewer
    ? holderOf({ account_id: viewer.account_id })
    : keyHolder(context, viewer.key_id)
}

export async function readHeldRoutes(
  reader: Reader,
  rows: readonly { tenant_id: string; verdict: string | null }[],
  holder: string | null,
): Promise<HeldRoutes> {
  const routed = rows.filter(({ verdict }) => verdict?.includes('"route_hash"'))
  if (routed.length === 0) return withoutRoutes
  const tenantIds = [...new Set(routed.map(({ tenant_id }) => tenant_id))]
  return { people: await readPeople(reader, tenantIds), holder }
}

export function heldRoute(
  { route, route_hash: hash = '' }: RecordedVerdict,
  { tenant_id, events, routes }: { tenant_id: string; events: readonly Counting[]; routes: HeldRoutes },
): { route?: HeldRoute } {
  if (!route) return {}
  const { people, absences } = routes.people.get(tenant_id) ?? { people: new Map(), absences: [] }
  const escalated = events.some(({ kind }) => kind === 'escalation')
  const helping = escalated ? (route.escalate?.group ?? null) : null
  const terms = { ...route, issuer: route.issuer ?? null, hash, helping, asked_next: null, people, absences }
  return {
    route: {
      missing: missingOf(route.required, approvalsGiven(events)),
      groups_without_members: groupsOf(route).filter(group => (people.get(group)?.length ?? 0) === 0),
      names_you: routes.holder !== null && isOnRoute(terms, routes.holder),
    },
  }
}
