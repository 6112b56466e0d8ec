import type { Principal } from '../../contract/action/audit.ts'
import { limits } from '../../contract/base/limits.ts'

/**
 * A decision of a person, or a verdict that says whose proposal it is about, with what the configuration said before it in the
 * order of the log. A member is null where nothing says it: the content was erased, or is from before it was recorded.
 */
export interface ConfiguredDecision {
  place: number
  kind: string
  /** Who decided; of a verdict, the key that proposed. */
  principal: Pick<Principal, 'id' | 'kind'>
  at: string
  /** Whose decision it says that it is. */
  holder: string | null
  /** The group that has the person. */
  group: string | null
  on_behalf_of: string | null
  /** Of a key, what the last event that issued it says; null where none did. */
  issued: { scope: string | null; holder: string | null; expires_at: string | null } | null
  /** The key had been revoked. */
  revoked: boolean
  /** The group had whoever the decision counts for, or one of the groups of the route did; null where it is of no route. */
  in_group: boolean | null
  /** Whoever was absent had named this person, until a later time; null where it is for nobody absent. */
  delegated: boolean | null
}

/**
 * What the configuration says against a decision, or null: a key that nobody minted, or with another scope or holder, or that
 * was over; somebody whom the group did not have, and somebody whom the absent person had not named. Before and after are
 * those of the log, not of the clock. `keysAreHere` is false where keys stand in a database of their own: their events may be
 * those of another log, and a revocation there is not ordered with what is decided here.
 */
export function configProblem(decision: ConfiguredDecision, keysAreHere: boolean): string | null {
  const { place, kind, principal } = decision
  const problem = keyProblem(decision, keysAreHere) ?? placeProblem(decision)
  const whose = kind === 'verdict' ? 'about a proposal by' : 'by'
  return problem === null ? null : `event ${place}: ${kind} ${whose} ${principal.id}, ${problem}`
}

/** A decision by a key of which no event of this log says anything. */
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
  // A proposal is not ordered with the end of its key: whether the key is good is looked at when it is written.
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
