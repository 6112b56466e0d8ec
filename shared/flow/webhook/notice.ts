import type { ActionStatus } from '../../contract/action/action-status.ts'
import type { RecordedProposal } from '../../contract/action/proposal-schema.ts'
import type { Evaluation } from '../../contract/action/verdict.ts'
import type { MessageType } from '../../contract/webhook.ts'
import type { Seen } from '../../lifecycle/decide.ts'
import { amountLine, leavesOf, targetLine } from '../../lifecycle/told-values.ts'
import { agentWords } from './agent-words.ts'

export interface Told {
  tenant_id: string
  action_id: string
  /** The reason for the message; null if a person asks for the current state. */
  type: MessageType | null
  status: { told: ActionStatus; now: ActionStatus }
  proposal: Pick<RecordedProposal, 'action' | 'summary' | 'actor'> | null
  /** True if amount and target are shown; no other parameter is. */
  tellsValues: boolean
  /** The effective risk beside the agent's claim; null before a decision of the gate. */
  risk: EffectiveRisk | null
  expires_at: string | null
  /** Null unless the action needs several approvals. */
  approvals: { given: number; required: number } | null
  /** The hashes of the proposal and request that its buttons decide about; null without buttons. */
  seen: Seen | null
  url: string
}

type EffectiveRisk = Evaluation['effective_risk']

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

const waiting: Readonly<Partial<Record<MessageType, string>>> = {
  'action.reminder': 'still waits for a decision',
  'action.escalated': 'still waits, and another group may approve as well',
}

export interface Notice {
  title: string
  meanwhile: string | null
  subject: string
  facts: readonly (readonly [label: string, value: string])[]
  buttons: (Seen & { action_id: string }) | null
  link: { label: 'Decide' | 'Read'; url: string }
}

export const decidesNothing = 'Opening the link decides nothing.'

/**
 * Builds the notice about an action (approvals.md#e-mail). Agents write summary and values; each is one labelled
 * line, so that it cannot pass for words of the service.
 */
export function noticeOf(told: Told): Notice {
  const {
    proposal,
    tellsValues,
    risk,
    type,
    status,
    tenant_id,
    action_id,
    expires_at,
    approvals,
    seen,
    url,
  } = told
  const subject = proposal
    ? `${agentWords(proposal.action.operation, 60)} on ${agentWords(proposal.action.target_system, 60)}`
    : 'An action'
  const waits = status.now === 'pending_approval'
  return {
    subject,
    title: `${subject} ${(type && waiting[type]) ?? happened[status.told]}`,
    meanwhile: status.now === status.told ? null : `Meanwhile it ${happened[status.now]}.`,
    facts: [
      ...(proposal
        ? ([
            ['Summary', agentWords(proposal.summary, lineMax)],
            ['Agent', agentWords(proposal.actor.agent_id, lineMax)],
          ] as const)
        : []),
      ...(proposal && tellsValues ? valueFacts(proposal.action) : []),
      ...(risk ? ([['Risk', riskWords(risk)]] as const) : []),
      ['Application', tenant_id],
      ['Action', action_id],
      ...(waits && approvals
        ? ([['Approvals', `${approvals.given} of ${approvals.required}`]] as const)
        : []),
      ...(waits && expires_at !== null ? ([['Denied unless decided by', expires_at]] as const) : []),
    ],
    buttons: waits && seen ? { action_id, ...seen } : null,
    link: { label: waits ? 'Decide' : 'Read', url },
  }
}

function valueFacts({ parameters }: RecordedProposal['action']): [label: string, value: string][] {
  const leaves = leavesOf(parameters)
  const lines = [
    ['Amount', amountLine(leaves)],
    ['Target', targetLine(leaves)],
  ] as const
  return lines.flatMap(([label, line]) => (line === null ? [] : [[label, agentWords(line, lineMax)]]))
}

/** Returns the effective risk; the agent's claim is named as such, and only if it differs. */
export function riskWords({ level, claimed, raised_by }: EffectiveRisk): string {
  return raised_by === null ? level : `${level}, raised by the ${raised_by}; the agent claims ${claimed}`
}

export function mailOf({ title, meanwhile, facts, link }: Notice): { subject: string; text: string } {
  const lines = [
    `${title}.`,
    ...(meanwhile === null ? [] : [meanwhile]),
    '',
    ...facts.map(([label, value]) => `${label}: ${value}`),
    '',
    `${link.label}: ${link.url}`,
    ...(link.label === 'Decide' ? [decidesNothing] : []),
  ]
  return { subject: agentWords(title, subjectMax), text: `${lines.join('\n')}\n` }
}
