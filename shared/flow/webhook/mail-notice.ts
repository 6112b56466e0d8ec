import type { ActionStatus } from '../../contract/action/action-status.ts'
import type { RecordedProposal } from '../../contract/action/proposal-schema.ts'
import { plainText } from '../../tool-import/wording.ts'

/** What an e-mail says: of an action that was erased there is no proposal. */
export interface Told {
  tenant_id: string
  action_id: string
  /** When the message was made, and now. */
  status: { told: ActionStatus; now: ActionStatus }
  proposal: Pick<RecordedProposal, 'action' | 'summary' | 'risk' | 'actor'> | null
  expires_at: string | null
  url: string
}

/** Characters of an agent's text in one line. */
const lineMax = 300
const subjectMax = 120

const happened: Readonly<Record<ActionStatus, string>> = {
  received: 'was received',
  allowed: 'was allowed',
  pending_approval: 'waits for a decision',
  approved: 'was approved',
  execution_pending: 'waits to be executed',
  executing: 'is under way',
  denied: 'was denied',
  executed: 'was executed',
  execution_failed: 'failed',
  outcome_unknown: 'has an unknown outcome',
}

/**
 * The e-mail about an action (approvals.md#e-mail), without its parameters. Agents write the summary: it is one line among
 * labelled ones, so that it cannot look like words of the service.
 */
export function mailNotice(told: Told): { subject: string; text: string } {
  const { proposal, status, tenant_id, action_id, expires_at, url } = told
  const what = proposal
    ? `${plainText(proposal.action.operation, 60)} on ${plainText(proposal.action.target_system, 60)}`
    : 'An action'
  const waits = status.now === 'pending_approval'
  const lines = [
    `${what} ${happened[status.told]}.`,
    ...(status.now === status.told ? [] : [`Meanwhile it ${happened[status.now]}.`]),
    '',
    ...(proposal
      ? [
          `Summary: ${plainText(proposal.summary, lineMax)}`,
          `Agent: ${plainText(proposal.actor.agent_id, lineMax)}`,
          `Risk: ${proposal.risk.level}`,
        ]
      : []),
    `Application: ${tenant_id}`,
    `Action: ${action_id}`,
    ...(waits && expires_at !== null ? [`Denied unless decided by: ${expires_at}`] : []),
    '',
    `${waits ? 'Decide' : 'Read'}: ${url}`,
    ...(waits ? ['Opening the link decides nothing.'] : []),
  ]
  return { subject: plainText(`${what} ${happened[status.told]}`, subjectMax), text: `${lines.join('\n')}\n` }
}
