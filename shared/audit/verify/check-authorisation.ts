import { canonicalJson } from '../../canon/canonical-json.ts'
import { documentHash } from '../../canon/digest.ts'
import type { Principal } from '../../contract/action/audit.ts'
import {
  accountProblem,
  editProblem,
  quorumProblem,
  requestProblem,
  viaProblem,
} from './approval-problems.ts'
import { type EventWithPayload, eventsWithPayloads } from './event-status.ts'
import { grantProblem } from './grant-problem.ts'
import { routeProblem } from './route-problems.ts'
import { timeProblem } from './time-problems.ts'
import { type Finding, failed, notProvenSinceErased, type OpenedExport, proven } from './verification.ts'

/**
 * Checks that the gate allowed the executed action or persons approved it. The action must equal the proposal, and
 * each attempt must have sent the approved request.
 */
export function checkAuthorisation(opened: OpenedExport): Finding {
  const events = eventsWithPayloads(opened)
  const [proposal, verdict] = events
  const problem =
    openingProblem(events) ?? bindingProblem(events) ?? approvedProblem(events) ?? grantedProblem(events)
  if (problem !== null) return failed(problem)
  const executed = events.find(({ event }) => executions.has(event.kind))
  if (executed === undefined) return proven('nothing was executed')
  const approval = events.find(({ place, event }) => event.kind === 'approval' && place < executed.place)
  const decision = verdict?.payload?.decision
  if (decision === undefined && approval === undefined)
    return notProvenSinceErased('whether the gate had allowed what was executed was erased')
  if (decision !== 'allow' && (approval === undefined || decision === 'deny'))
    return failed(`event ${executed.place}: ${executed.event.kind} without a prior allow or approval`)
  if (decision === undefined || !proposal?.payload)
    return notProvenSinceErased('what was allowed or approved was erased: who did it stands')
  if (decision === 'allow' && verdict?.payload?.grant !== undefined)
    return proven('a grant allowed it, within its bounds')
  return proven(
    decision === 'allow' ? 'the gate allowed it' : 'it was held, and approved before it was executed',
  )
}

function openingProblem(events: readonly EventWithPayload[]): string | null {
  for (const [turn, { place, event }] of events.entries()) {
    const wanted = opening[turn]
    if (wanted !== undefined && event.kind !== wanted.kind)
      return `event ${place}: ${event.kind} where ${wanted.kind} belongs`
    if (wanted === undefined && opening.some(({ kind }) => kind === event.kind))
      return `event ${place}: a second ${event.kind}`
    if (wanted !== undefined && event.principal.kind !== wanted.by)
      return `event ${place}: ${event.kind} by a principal of kind ${event.principal.kind}`
  }
  return null
}

function bindingProblem([proposal, ...later]: readonly EventWithPayload[]): string | null {
  if (proposal === undefined || proposal.payload === null) return null
  const hash = documentHash('proposal', canonicalJson(proposal.payload))
  for (const { place, event, payload } of later) {
    if (payload === null || !decisions.has(event.kind)) continue
    if (payload.proposal_hash !== hash) return `event ${place}: the ${event.kind} is about another proposal`
  }
  return null
}

function approvedProblem(events: readonly EventWithPayload[]): string | null {
  return requestProblem(events.map(({ place, event: { kind }, payload }) => ({ place, kind, payload })))
}

function grantedProblem([proposal, verdict]: readonly EventWithPayload[]): string | null {
  if (verdict === undefined) return null
  const { place, event, payload } = verdict
  return grantProblem({ place, at: event.at, verdict: payload, proposal: proposal?.payload ?? null })
}

const opening = [
  { kind: 'proposal_received', by: 'agent' },
  { kind: 'verdict', by: 'gate' },
] as const
const decisions: ReadonlySet<string> = new Set(['verdict', 'approval', 'partial_approval'])
const executions: ReadonlySet<string> = new Set(['execution_attempt', 'execution', 'reconciliation'])

/**
 * Checks that enough persons approved the action while it was held. They must belong to the groups of the route,
 * and none may be the proposer. No erasure removes the approvers, because they are part of the events.
 */
export function checkApprover(opened: OpenedExport): Finding {
  const events = eventsWithPayloads(opened)
  const proposer = events.find(({ event }) => event.kind === 'proposal_received')?.event.principal.id
  const approvals = events.filter(({ event }) => granting.has(event.kind))
  for (const { place, event } of approvals) {
    const { id, kind } = event.principal
    if (!mayApprove.has(kind)) return failed(`event ${place}: approved by ${id}, which is of kind ${kind}`)
    if (id === proposer) return failed(`event ${place}: approved by ${id}, the key that proposed it`)
  }
  const told = events.map(({ place, event: { kind, principal, at }, payload }) => ({
    place,
    kind,
    principal,
    at,
    payload,
  }))
  const problem =
    quorumProblem(told) ??
    accountProblem(told) ??
    editProblem(told) ??
    routeProblem(told) ??
    timeProblem(told) ??
    viaProblem(told)
  if (problem !== null) return failed(problem)
  const by = approvals.map(({ event }) => event.principal.id)
  return proven(
    by.length === 0 ? 'nobody approved it' : `approved by ${by.join(', ')}, who did not propose it`,
  )
}

const granting: ReadonlySet<string> = new Set(['approval', 'partial_approval'])

const mayApprove: ReadonlySet<Principal['kind']> = new Set<Principal['kind']>(['approver', 'admin', 'owner'])
