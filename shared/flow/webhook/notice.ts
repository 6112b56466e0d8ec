import type { ActionStatus } from '../../contract/action/action-status.ts'
import type { RecordedProposal } from '../../contract/action/proposal-schema.ts'
import type { Evaluation } from '../../contract/action/verdict.ts'
import type { MessageType } from '../../contract/webhook.ts'
import type { Seen } from '../../lifecycle/decide.ts'
import { amountLine, leavesOf, targetLine } from '../../lifecycle/told-values.ts'
import { agentWords } from './agent-words.ts'

/** What a notice is about: of an action that was erased there is no proposal. */
export interface Told {
  tenant_id: string
  action_id: string
  /** Why it was made; null where somebody asks how it is now. */
  type: MessageType | null
  /** When the message was made, and now. */
  status: { told: ActionStatus; now: ActionStatus }
  proposal: Pick<RecordedProposal, 'action' | 'summary' | 'actor'> | null
  /** Whether amount and target are said: no other value of the parameters is. */
  tellsValues: boolean
  /** What the gate decided with, beside what the agent claims; null where it decided nothing yet. */
  risk: EffectiveRisk | null
  expires_at: string | null
  /** How many approvals there are, where it takes several. */
  approvals: { given: number; required: number } | null
  /** What its buttons decide about; null where it has none. */
  seen: Seen | null
  url: string
}

type EffectiveRisk = Evaluation['effective_risk']

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

/** Of a message about an action that waited before. */
const waiting: Readonly<Partial<Record<MessageType, string>>> = {
  'action.reminder': 'still waits for a decision',
  'action.escalated': 'still waits, and another group may approve as well',
}

/** Words for people about an action, of which each format makes a message of its own. */
export interface Notice {
  title: string
  /** What happened since the message was made; null where nothing did. */
  meanwhile: string | null
  /** What it is about. */
  subject: string
  /** Each one line. */
  facts: readonly (readonly [label: string, value: string])[]
  /** Where it waits and can be decided by buttons: about what. */
  buttons: (Seen & { action_id: string }) | null
  link: { label: 'Decide' | 'Read'; url: string }
}

/** Of a link that leads to a decision. */
export const decidesNothing = 'Opening the link decides nothing.'

/**
 * The notice about an action (approvals.md#e-mail). Agents write the summary and the values: each is one line among labelled
 * ones, so that it cannot look like words of the service.
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

/** How much it is about, and whom or what, as the pages tell it. */
function valueFacts({ parameters }: RecordedProposal['action']): [label: string, value: string][] {
  const leaves = leavesOf(parameters)
  const lines = [
    ['Amount', amountLine(leaves)],
    ['Target', targetLine(leaves)],
  ] as const
  return lines.flatMap(([label, line]) => (line === null ? [] : [[label, agentWords(line, lineMax)]]))
}

/** The risk that the gate decided with; what the agent claims is told as its claim, and only where it is another one. */
export function riskWords({ level, claimed, raised_by }: EffectiveRisk): string {
  return raised_by === null ? level : `${level}, raised by the ${raised_by}; the agent claims ${claimed}`
}

/** A notice as plain text, as an e-mail has it. */
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
