import { canonicalJson } from '../../canon/canonical-json.ts'
import { documentHash } from '../../canon/digest.ts'
import type { JsonObject, JsonValue } from '../../contract/base/json.ts'
import type { QuorumEvent } from './approval-problems.ts'

/**
 * Returns the problem with the decisions of an action that has a route, or null. Problems are a verdict that
 * contradicts its own route, a decision for a group outside the route, too many approvals of one group, and an
 * action that continued before every group had approved. Erased content is no problem.
 */
export function routeProblem(events: readonly QuorumEvent[]): string | null {
  const verdict = events.find(({ kind }) => kind === 'verdict')
  if (!verdict?.payload) return null
  const route = readRoute(verdict.payload)
  if (route === null) return null
  if (route === 'nonsense') return `event ${verdict.place}: the verdict has a route that is none`
  if (route.hash !== verdict.payload.route_hash)
    return `event ${verdict.place}: the verdict names another route than it shows`
  if (route.spare < 0) return `event ${verdict.place}: the verdict takes fewer approvals than its route`
  return decisionsProblem(events, route)
}

interface Route {
  hash: string
  needed: ReadonlyMap<string, number>
  helping: string | null
  /** The issuer at which deciders must sign in; null if any issuer will do. */
  issuer: string | null
  /** The number of approvals that may come from any group of the route. */
  spare: number
}

function decisionsProblem(events: readonly QuorumEvent[], route: Route): string | null {
  const given = new Map<string, number>()
  let helped = false
  for (const event of events) {
    if (event.kind === 'escalation') helped = true
    if (!decisions.has(event.kind) || isUnplacedEdit(event)) continue
    const problem = placeProblem(event, route, helped) ?? countProblem(event, route, given)
    if (problem !== null) return `event ${event.place}: ${event.kind} by ${event.principal.id}, ${problem}`
  }
  return null
}

const decisions: ReadonlySet<string> = new Set(['partial_approval', 'approval', 'rejection', 'supersession'])

/** Returns true for an edit from before edits recorded a group. The configuration check examines such edits. */
function isUnplacedEdit({ kind, payload }: QuorumEvent): boolean {
  return kind === 'supersession' && payload?.group === undefined && payload?.route_hash === undefined
}

function placeProblem({ payload }: QuorumEvent, route: Route, helped: boolean): string | null {
  if (payload === null) return null
  const { route_hash, group, stands_in, holder } = payload
  if (route_hash !== route.hash) return 'which is about another route than the verdict'
  if (typeof holder !== 'string') return 'which does not say whose it is'
  if (typeof group !== 'string' || !route.needed.has(group)) return 'for no group of the route'
  if (route.issuer !== null && issuerOf(payload) !== route.issuer)
    return `signed in elsewhere than at ${route.issuer}`
  if (stands_in === undefined) return null
  if (stands_in !== route.helping) return `of ${String(stands_in)}, which the route does not name`
  return helped ? null : `of ${stands_in}, which was not asked yet`
}

/**
 * Counts an approval for its group. A group may exceed its own number only by the approvals that any group may
 * give. After the last approval every group must be complete.
 */
function countProblem(
  { kind, payload }: QuorumEvent,
  { needed, spare }: Route,
  given: Map<string, number>,
): string | null {
  if (!granting.has(kind)) return null
  const group = String(payload?.group)
  // If the group of an approval was erased, later approvals cannot be counted.
  if (payload === null || given.has(erased)) {
    given.set(erased, 1)
    return null
  }
  given.set(group, (given.get(group) ?? 0) + 1)
  const counts = [...needed].map(([name, wanted]) => ({ name, wanted, has: given.get(name) ?? 0 }))
  const over = counts.reduce((sum, { wanted, has }) => sum + Math.max(0, has - wanted), 0)
  if (over > spare) return `which is one of ${group} more than it takes`
  const lacking = counts.find(({ wanted, has }) => has < wanted)
  return kind === 'approval' && lacking ? `where one of ${lacking.name} is missing` : null
}

const granting: ReadonlySet<string> = new Set(['partial_approval', 'approval'])

const erased = ''

function readRoute({ route, approvals_required: total = 1 }: JsonObject): Route | null | 'nonsense' {
  if (route === undefined) return null
  if (!isObject(route) || !Array.isArray(route.required)) return 'nonsense'
  const needed = new Map<string, number>()
  for (const demand of route.required) {
    if (!isObject(demand)) return 'nonsense'
    const { group, approvals } = demand
    const isSound = typeof group === 'string' && group !== erased && !needed.has(group)
    if (!isSound || !Number.isInteger(approvals) || Number(approvals) < 1) return 'nonsense'
    needed.set(group, Number(approvals))
  }
  if (needed.size === 0) return 'nonsense'
  const { groups_without_members: _, ...shown } = route
  const helping = isObject(route.escalate) ? route.escalate.group : undefined
  return {
    hash: documentHash('route', canonicalJson(shown)),
    needed,
    issuer: typeof route.issuer === 'string' ? route.issuer : null,
    helping: typeof helping === 'string' ? helping : null,
    spare: Number(total) - [...needed.values()].reduce((sum, count) => sum + count, 0),
  }
}

function issuerOf({ identity }: JsonObject): JsonValue | undefined {
  return isObject(identity) ? identity.issuer : undefined
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
