import type { Principal } from '../../contract/action/audit.ts'
import { toldEvents } from './event-status.ts'
import { quorumProblem } from './quorum-problem.ts'
import { type Finding, failed, type OpenedExport, proven } from './verification.ts'

/**
 * Who approved is a person, and not whoever proposed; where several had to, they are several. Who it was stands in the events
 * themselves: no erasure takes it away.
 */
export function checkApprover(opened: OpenedExport): Finding {
  const events = toldEvents(opened)
  const proposer = events.find(({ event }) => event.kind === 'proposal_received')?.event.principal.id
  const approvals = events.filter(({ event }) => granting.has(event.kind))
  for (const { place, event } of approvals) {
    const { id, kind } = event.principal
    if (!mayApprove.has(kind)) return failed(`event ${place}: approved by ${id}, which is of kind ${kind}`)
    if (id === proposer) return failed(`event ${place}: approved by ${id}, the key that proposed it`)
  }
  const problem = quorumProblem(
    events.map(({ place, event: { kind, principal }, payload }) => ({ place, kind, principal, payload })),
  )
  if (problem !== null) return failed(problem)
  const by = approvals.map(({ event }) => event.principal.id)
  return proven(
    by.length === 0 ? 'nobody approved it' : `approved by ${by.join(', ')}, who did not propose it`,
  )
}

const granting: ReadonlySet<string> = new Set(['approval', 'partial_approval'])

const mayApprove: ReadonlySet<Principal['kind']> = new Set<Principal['kind']>(['approver', 'admin', 'owner'])
