import { canonicalJson } from '../../canon/canonical-json.ts'
import { documentHash } from '../../canon/digest.ts'
import type { Principal } from '../../contract/action/audit.ts'
import type { JsonObject, JsonValue } from '../../contract/base/json.ts'
import { limits } from '../../contract/base/limits.ts'

export interface QuorumEvent {
  place: number
  kind: string
  principal: Principal
  payload: JsonObject | null
}

/**
 * Returns the problem with an action's approvals, or null. No person may count twice, also not through a stand-in,
 * and the proposer may not approve. No approval may come before the required number is complete. The principals
 * are part of the events, so the check also works with erased payloads.
 */
export function quorumProblem(events: readonly QuorumEvent[]): string | null {
  const verdict = events.find(({ kind }) => kind === 'verdict')?.payload ?? null
  const approvals = events.filter(({ kind }) => granting.has(kind))
  const required = requiredBy(verdict)
  if (required === 'nonsense') return 'the verdict demands a number of approvals that there is not'
  const proposer = events.find(({ kind }) => kind === 'proposal_received')?.principal.id
  const known = new Set<unknown>([proposer, verdict?.proposer_holder])
  for (const [turn, approval] of approvals.entries()) {
    const problem = countProblem(approval, turn + 1, required) ?? holderProblem(approval, known)
    if (problem !== null)
      return `event ${approval.place}: ${approval.kind} by ${approval.principal.id}, ${problem}`
  }
  return null
}

/** Adds the identities of an approval to `known`. Returns the problem if one of them is known already. */
function holderProblem({ principal, payload }: QuorumEvent, known: Set<unknown>): string | null {
  const own = [principal.id, payload?.holder, payload?.on_behalf_of].filter(
    identity => identity !== undefined,
  )
  const twice = own.find(identity => known.has(identity))
  if (twice !== undefined) return `and ${String(twice)} counts already, or proposed it`
  for (const identity of own) known.add(identity)
  return null
}

/**
 * Returns a problem if the decision of an account names another holder, or null. Erased payloads are no problem.
 */
export function accountProblem(events: readonly QuorumEvent[]): string | null {
  for (const { place, kind, principal, payload } of events) {
    if (principal.kind !== 'owner' || payload?.holder === undefined) continue
    if (payload.holder !== `account:${principal.id}`)
      return `event ${place}: ${kind} by ${principal.id}, an account, which says that it is of ${String(payload.holder)}`
  }
  return null
}

const granting: ReadonlySet<string> = new Set(['partial_approval', 'approval'])

function requiredBy(verdict: JsonObject | null): number | null | 'nonsense' {
  if (verdict === null) return null
  const { approvals_required: required = 1 } = verdict
  const sound = Number.isInteger(required) && Number(required) >= 1
  return sound && Number(required) <= limits.approvals_required_max ? Number(required) : 'nonsense'
}

function countProblem({ kind, payload }: QuorumEvent, given: number, required: number | null): string | null {
  if (required !== null && kind === 'approval' && given < required)
    return `the ${ordinal(given)} of ${required} that it takes`
  if (required !== null && kind === 'partial_approval' && given >= required)
    return `the ${ordinal(given)}, where it takes ${required}`
  if (payload === null || required === null || required === 1) return null
  const { approvals } = payload
  const told =
    typeof approvals === 'object' && approvals !== null && !Array.isArray(approvals) ? approvals : {}
  if (told.given !== given || told.required !== required)
    return `which does not say that it is number ${given} of ${required}`
  return typeof payload.holder === 'string' ? null : 'which does not say whose it is'
}

function ordinal(count: number): string {
  return ['', 'first', 'second', 'third'][count] ?? `${count}th`
}

export interface RequestEvent {
  place: number
  kind: string
  payload: JsonObject | null
}

/**
 * Returns the problem with the approved request, or null. Problems are a verdict whose hash does not fit the
 * request that it shows, and an approval or attempt with another hash than the verdict. Actions from before
 * requests were recorded have no hash.
 */
export function requestProblem(events: readonly RequestEvent[]): string | null {
  const verdict = events.find(({ kind }) => kind === 'verdict')
  if (!verdict?.payload) return null
  const { request, request_hash: approved } = verdict.payload
  const shown = request === undefined ? undefined : documentHash('request', canonicalJson(request))
  if (shown !== approved) return `event ${verdict.place}: the verdict names another request than it shows`
  for (const { place, kind, payload } of events) {
    if (!bound.has(kind) || payload === null) continue
    if (payload.request_hash !== approved)
      return `event ${place}: the ${kind} is about another request than the verdict`
  }
  return null
}

const bound: ReadonlySet<string> = new Set(['partial_approval', 'approval', 'execution_attempt'])

/**
 * Returns the problem with an edit, or null. An edited action names its successor and its editor, who must not be
 * its proposer. The successor names both the editor and the edited action. Its first approval must be the
 * editor's.
 */
export function editProblem(events: readonly QuorumEvent[]): string | null {
  const proposer = events.find(({ kind }) => kind === 'proposal_received')
  const ended = events.find(({ kind }) => kind === 'supersession')
  if (ended) {
    const { place, principal, payload } = ended
    if (!people.has(principal.kind) || principal.id === proposer?.principal.id)
      return `event ${place}: edited by ${principal.id}, who may not`
    if (payload !== null && typeof payload.superseded_by !== 'string')
      return `event ${place}: the supersession does not say what takes its place`
    const holder = payload?.holder
    const verdict = events.find(({ kind }) => kind === 'verdict')?.payload
    if (holder !== undefined && holder === verdict?.proposer_holder)
      return `event ${place}: edited by ${String(holder)}, who proposed it`
  }
  const origin = proposer?.payload?.supersedes
  if (origin === undefined) return null
  const editor = editorOf(origin)
  if (editor === null) return 'event 0: the proposal does not say who edited what'
  if (editor === proposer?.principal.id) return `event 0: edited by ${editor}, the key that proposed it`
  const first = events.find(({ kind }) => granting.has(kind))
  return first === undefined || first.principal.id === editor
    ? null
    : `event ${first.place}: the first approval is not by ${editor}, who edited it`
}

function editorOf(origin: JsonValue): string | null {
  if (typeof origin !== 'object' || origin === null || Array.isArray(origin)) return null
  const { action_id, editor } = origin
  if (typeof action_id !== 'string') return null
  if (typeof editor !== 'object' || editor === null || Array.isArray(editor)) return null
  const { id, kind } = editor
  return typeof id === 'string' && typeof kind === 'string' && people.has(kind) ? id : null
}

export interface EditedEvents {
  action_id: string
  events: readonly QuorumEvent[]
}

/** Returns the problem between an edited action and its successor, or null. Each must name the other action. */
export function pairProblem(edited: EditedEvents, next: EditedEvents): string | null {
  const ended = edited.events.find(({ kind }) => kind === 'supersession')
  const [proposal] = next.events
  const origin = proposal?.payload?.supersedes
  if (!ended) return `${edited.action_id} was not edited`
  if (ended.payload !== null && ended.payload.superseded_by !== next.action_id)
    return `${edited.action_id} names ${String(ended.payload.superseded_by)} and not ${next.action_id}`
  if (proposal?.payload == null) return null
  const named = typeof origin === 'object' && origin !== null && !Array.isArray(origin) ? origin : {}
  if (named.action_id !== edited.action_id) return `${next.action_id} does not name ${edited.action_id}`
  return editorOf(origin ?? null) === ended.principal.id
    ? null
    : `${next.action_id} names another editor than ${edited.action_id}`
}

const people: ReadonlySet<string> = new Set(['approver', 'admin', 'owner'])

/**
 * Returns the problem with what came from Slack, or null. Only decisions may come from Slack. Such a decision
 * names the workspace and the user, and belongs to an account without another sign-in.
 */
export function viaProblem(events: readonly QuorumEvent[]): string | null {
  for (const { place, kind, principal, payload } of events) {
    const via = payload?.via
    if (via === undefined || kind === 'proposal_received') continue
    const subject = `event ${place}: ${kind} by ${principal.id}`
    if (!inSlack.has(kind)) return `${subject}, which was not made in Slack`
    if (principal.kind !== 'owner') return `${subject}, in Slack and of no account`
    if (!isOfSlack(via)) return `${subject}, which does not say who it was in Slack`
    if (payload?.identity !== undefined) return `${subject}, in Slack and by a sign-in elsewhere`
  }
  return null
}

const inSlack: ReadonlySet<string> = new Set(['approval', 'partial_approval', 'rejection'])

function isOfSlack(via: unknown): boolean {
  if (typeof via !== 'object' || via === null || Array.isArray(via)) return false
  const { kind, team_id, user_id, ...others } = via as Record<string, unknown>
  const isKnown = kind === 'slack' && Object.keys(others).length === 0
  return isKnown && /^T[A-Z0-9]+$/.test(String(team_id)) && /^[UW][A-Z0-9]+$/.test(String(user_id))
}
