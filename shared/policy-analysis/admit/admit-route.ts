import type { Hole } from '../../contract/configuration/admission.ts'
import type { RouteDemand } from '../../contract/configuration/route-schema.ts'
import { hole } from './admit-hole.ts'
import type { AdmissionInput } from './admit-input.ts'

/** Returns COV-9 if the policy's route does not exist, or COV-10 if its groups are too small. */
export function routeHoles({ policy, routes }: AdmissionInput): Hole[] {
  const { review_route, approvals_required = 1 } = policy
  const place = { path: ['policy', 'review_route'] }
  const route = routes.find(({ name }) => name === review_route)
  if (!route) {
    const message = 'review_route names no route of the tenant: whoever has an approver key decides'
    return [hole('COV-9', message, place)]
  }
  const small = tooSmall(route)
  if (small) return [hole('COV-10', small, place)]
  const people = peopleOf(route, route.required)
  if (people >= approvals_required) return []
  const message = `what is held takes ${approvals_required} approvals, and the route has ${people} people`
  return [hole('COV-10', message, place)]
}

type Route = AdmissionInput['routes'][number]

/**
 * Describes the smallest set of groups that needs more approvals than it has people, or returns null. By
 * Hall's theorem the route cannot be met exactly if such a set exists, because each person approves once.
 */
function tooSmall(route: Route): string | null {
  const choices = subsetsOf(route.required).sort((one, other) => one.length - other.length)
  for (const some of choices) {
    const people = peopleOf(route, some)
    const needed = some.reduce((sum, { approvals }) => sum + approvals, 0)
    if (people < needed) {
      const names = some.map(({ group }) => group).join(', ')
      return `${names}: ${needed} approvals are needed, and there are ${people} people`
    }
  }
  return null
}

function peopleOf({ members }: Route, some: readonly RouteDemand[]): number {
  return new Set(some.flatMap(({ group }) => members.get(group) ?? [])).size
}

function subsetsOf<One>(all: readonly One[]): One[][] {
  return Array.from({ length: 2 ** all.length - 1 }, (_, at) =>
    all.filter((_one, place) => (((at + 1) >> place) & 1) === 1),
  )
}
