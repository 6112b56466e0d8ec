import type { CountedApproval } from '../contract/action/action-status.ts'
import type { JsonObject } from '../contract/base/json.ts'
import { demandOf, type RouteDemand } from '../contract/configuration/route-schema.ts'
import { ok, type Result, refused } from '../result.ts'
import type { Quorum, RouteTerms } from './change.ts'
import { sameHolder } from './holder.ts'

export type RouteRecord = {
  route_hash: string
  group: string
  /** The group to which the person belongs, if the person decides for another group. */
  stands_in?: string
  on_behalf_of?: string
}

export type OffRoute =
  | { reason: 'not_on_route'; route: string }
  | { reason: 'other_issuer'; issuer: string }
  | { reason: 'group_complete'; groups: readonly string[] }

export type RoutedQuorum = Quorum & { route: RouteTerms }

/** One way in which a person may decide: as a member of a group, or in place of an absent member. */
interface Standing {
  group: string
  on_behalf_of: string | null
}

/**
 * Refuses a decision if its person did not sign in at the route's issuer. A second account or a key would
 * otherwise allow one person to decide twice.
 */
export function whyOtherIssuer({ issuer }: RouteTerms, { identity }: JsonObject): OffRoute | null {
  if (issuer === null) return null
  const at =
    typeof identity === 'object' && identity !== null && 'issuer' in identity ? identity.issuer : null
  return at === issuer ? null : { reason: 'other_issuer', issuer }
}

export function rejectOnRoute({ route }: RoutedQuorum, holder: string): Result<RouteRecord, OffRoute> {
  const [standing] = standingsOf(route, holder)
  return standing
    ? ok(recordOf(route, standing.group, standing))
    : refused({ reason: 'not_on_route', route: route.name })
}

/**
 * Picks the group for which an approval counts: the first group that lacks an approval, admits the person, and
 * leaves enough people for the other groups. A member of two groups thus does not fill one group while the other
 * has nobody else. Extra approvals that the policy demands may come from any group.
 */
export function approveOnRoute(quorum: RoutedQuorum, holder: string): Result<RouteRecord, OffRoute> {
  const { route } = quorum
  const spent = spentBy(quorum)
  const standings = standingsOf(route, holder).filter(
    ({ on_behalf_of }) => on_behalf_of === null || !spent.some(one => sameHolder(one, on_behalf_of)),
  )
  const [own] = standings
  if (own === undefined) return refused({ reason: 'not_on_route', route: route.name })
  const choices = missingOf(route.required, quorum.given).flatMap(({ group }) => {
    const standing = standings.find(one => one.group === group) ?? standings.find(isHelping(route))
    return standing ? { group, standing } : []
  })
  const chosen = choices.find(choice => leavesEnough(quorum, holder, choice)) ?? choices[0]
  if (chosen) return ok(recordOf(route, chosen.group, chosen.standing))
  if (spareOf(quorum) > 0) return ok(recordOf(route, own.group, own))
  return refused({ reason: 'group_complete', groups: standings.map(({ group }) => group) })
}

export function isOnRoute(route: RouteTerms, holder: string): boolean {
  return standingsOf(route, holder).length > 0
}

export function missingOf(
  required: readonly RouteDemand[],
  given: readonly Pick<CountedApproval, 'group'>[],
): RouteDemand[] {
  return required.flatMap(({ group, approvals }) => {
    const left = approvals - given.filter(one => one.group === group).length
    return left > 0 ? [{ group, approvals: left }] : []
  })
}

function standingsOf(route: RouteTerms, holder: string): Standing[] {
  const absent = route.absences.filter(({ delegate }) => delegate === holder).map(one => one.absent)
  return [null, ...absent].flatMap(on_behalf_of =>
    groupsOf(route)
      .filter(group => route.people.get(group)?.includes(on_behalf_of ?? holder))
      .map(group => ({ group, on_behalf_of })),
  )
}

function groupsOf({ required, helping }: RouteTerms): string[] {
  const groups = required.map(({ group }) => group)
  return helping === null || groups.includes(helping) ? groups : [...groups, helping]
}

function isHelping({ helping }: RouteTerms): (standing: Standing) => boolean {
  return ({ group }) => group === helping
}

/** Records a decision for a group. An approval by a group that only helps is recorded for the first group. */
function recordOf(
  { hash, required: [first, ...others] }: RouteTerms,
  asked: string,
  { group: of, on_behalf_of }: Standing,
): RouteRecord {
  const isDemanded = [first, ...others].some(one => one?.group === asked)
  const group = isDemanded ? asked : (first?.group ?? asked)
  return {
    route_hash: hash,
    group,
    ...(of === group ? {} : { stands_in: of }),
    ...(on_behalf_of === null ? {} : { on_behalf_of }),
  }
}

/**
 * People whose approvals no longer count: the proposer, each approver, and each person for whom an approver acted.
 */
function spentBy({ given, proposer_holder }: Quorum): string[] {
  return [proposer_holder, ...given.flatMap(({ holder, on_behalf_of }) => [holder, on_behalf_of ?? holder])]
}

function spareOf({ required, given, route }: RoutedQuorum): number {
  return required - given.length - demandOf(missingOf(route.required, given))
}

/** Returns true if every approval that would still be missing can come from a different person. */
function leavesEnough(
  quorum: RoutedQuorum,
  holder: string,
  { group, standing }: { group: string; standing: Standing },
): boolean {
  const { route, given } = quorum
  const spent = new Set([...spentBy(quorum), holder, standing.on_behalf_of ?? holder])
  const helpers = route.helping === null ? [] : (route.people.get(route.helping) ?? [])
  const seats = missingOf(route.required, [...given, { group }]).flatMap(one => {
    const people = [...(route.people.get(one.group) ?? []), ...helpers].filter(person => !spent.has(person))
    return Array.from({ length: one.approvals }, () => people)
  })
  const seatOf = new Map<string, number>()
  return seats.every((_, seat) => isSeated(seats, seatOf, seat, new Set()))
}

/**
 * Finds an augmenting path of the bipartite matching: seats a free person, or moves a seated person to another
 * seat.
 */
function isSeated(
  seats: readonly (readonly string[])[],
  seatOf: Map<string, number>,
  seat: number,
  asked: Set<string>,
): boolean {
  for (const person of seats[seat] ?? []) {
    if (asked.has(person)) continue
    asked.add(person)
    const other = seatOf.get(person)
    if (other !== undefined && !isSeated(seats, seatOf, other, asked)) continue
    seatOf.set(person, seat)
    return true
  }
  return false
}
