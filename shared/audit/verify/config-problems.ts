import type { Principal } from '../../contract/action/audit.ts'
import { limits } from '../../contract/base/limits.ts'

/**
 * A decision of a person or a verdict, with the state of the configuration just before it in the log. A field is
 * null if its content was erased or if the event is older than the recording of the field.
 */
export interface ConfiguredDecision {
  place: number
  kind: string
  /** The person who decided; for a verdict, the key that proposed. */
  principal: Pick<Principal, 'id' | 'kind'>
  at: string
  holder: string | null
  group: string | null
  on_behalf_of: string | null
  /** The content of the last event that issued the key; null if there is none. */
  issued: { scope: string | null; holder: string | null; expires_at: string | null } | null
  revoked: boolean
  /**
   * True if the person for whom the decision counts was in the group, or in any group of the route if no group is
   * named. Null without a route.
   */
  in_group: boolean | null
  /** True if the absent person had named this person as stand-in for that time; null if nobody was absent. */
  delegated: boolean | null
}

/**
 * Returns the problem that the configuration shows with a decision, or null. Problems are a key that was not
 * issued or had ended, a key with another scope or holder, a person outside the group, and a stand-in who was not
 * named. Events are ordered by the log, not by clocks. `keysAreHere` is false if keys have their own database,
 * because the log here then lacks their issuing and revocation.
 */
export function configProblem(decision: ConfiguredDecision, keysAreHere: boolean): string | null {
  const { place, kind, principal } = decision
  const problem = keyProblem(decision, keysAreHere) ?? placeProblem(decision)
  const whose = kind === 'verdict' ? 'about a proposal by' : 'by'
  return problem === null ? null : `event ${place}: ${kind} ${whose} ${principal.id}, ${problem}`
}

export function isByUnknownKey({ principal, issued }: ConfiguredDecision): boolean {
  return principal.kind !== 'owner' && issued === null
}

function keyProblem(decision: ConfiguredDecision, keysAreHere: boolean): string | null {
  const { principal, holder, issued, revoked, kind } = decision
  if (principal.kind === 'owner') return null
  if (issued === null) return keysAreHere ? 'a key that nobody had minted' : null
  if (issued.scope !== null && issued.scope !== principal.kind)
    return `a key that was minted with the scope ${issued.scope}, as ${principal.kind}`
  if (holder !== null && issued.holder !== null && holder !== issued.holder)
    return `which says that it is of ${holder}, and the key was minted for ${issued.holder}`
  // A proposal may follow the end of its key in the log, because the service checks the key when it writes.
  if (kind === 'verdict' || !keysAreHere) return null
  if (revoked) return 'a key that had been revoked'
  return isOver(decision) ? `a key that was over at ${issued.expires_at}` : null
}

function isOver({ at, issued }: ConfiguredDecision): boolean {
  const end = issued?.expires_at ?? null
  return end !== null && Date.parse(at) > Date.parse(end) + limits.clock_tolerance_ms
}

function placeProblem({
  group,
  holder,
  on_behalf_of,
  in_group,
  delegated,
}: ConfiguredDecision): string | null {
  if (delegated === false) return `in the place of ${on_behalf_of}, who had not named ${holder}`
  if (in_group !== false) return null
  return group === null
    ? 'whom no group of the route had'
    : `for ${group}, which did not have ${on_behalf_of ?? holder}`
}
