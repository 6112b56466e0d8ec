import { type ReadEvent, recomputeAudit } from '../../support/audit/independent-audit.ts'
import { type Erasure, erasuresOf, readErased } from './erasures.ts'
import type { ExportedAudit, ExportLine, OrderLine } from './evidence.ts'

/** An action as its audit export tells it, after its root was computed again. */
export interface History {
  action_id: string
  tenant_id: string
  proposal_id: string
  proposer: string
  events: (ReadEvent & { time: number })[]
  /** The status after every event, by the table below; null from the first illegal one on. */
  statuses: (string | null)[]
  status: string | null
}

/**
 * The states of specification.md#states, written once more: status and event, with the outcome or decision that it
 * carries, to the next status.
 */
const table: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '': { proposal_received: 'received' },
  received: {
    'verdict allow': 'execution_pending',
    'verdict needs_approval': 'pending_approval',
    'verdict deny': 'denied',
  },
  pending_approval: {
    approval: 'execution_pending',
    partial_approval: 'pending_approval',
    rejection: 'denied',
    expiry: 'denied',
    cancellation: 'denied',
    comment: 'pending_approval',
    change_request: 'pending_approval',
    supersession: 'denied',
    escalation: 'pending_approval',
  },
  execution_pending: {
    execution_attempt: 'executing',
    'execution failed': 'execution_failed',
    'execution unknown': 'outcome_unknown',
  },
  executing: {
    'execution ok': 'executed',
    'execution failed': 'execution_failed',
    'execution retry': 'execution_pending',
    'execution unknown': 'outcome_unknown',
  },
  outcome_unknown: {
    'reconciliation ok': 'executed',
    'reconciliation failed': 'execution_failed',
    'reconciliation retry': 'execution_pending',
    'reconciliation unknown': 'outcome_unknown',
  },
  executed: {},
  execution_failed: {},
  denied: {},
}

export const terminal: ReadonlySet<string | null> = new Set(['executed', 'execution_failed', 'denied'])

/** Everything that was exported, and what could not be reproduced from it; the content of what was erased is that of before. */
export function readHistories(
  lines: readonly ExportLine[],
  orders: readonly OrderLine[],
): { histories: History[]; broken: string[] } {
  const histories: History[] = []
  const broken: string[] = []
  const erasures = erasuresOf(orders)
  for (const { exported, action_id } of lines) {
    if (exported === null) continue
    try {
      if (exported.action_id !== action_id) throw new Error(`${action_id}: another action was exported`)
      const erasure = erasures.get(action_id)
      const events = erasure ? eventsBefore(erasure, exported) : recomputeAudit(exported).events
      histories.push(historyOf(exported.tenant_id, action_id, events))
    } catch (error) {
      broken.push(error instanceof Error ? error.message : String(error))
    }
  }
  return { histories, broken }
}

function eventsBefore(erasure: Erasure, exported: ExportedAudit): ReadEvent[] {
  readErased(erasure, exported)
  return recomputeAudit(erasure.before).events
}

function historyOf(tenantId: string, actionId: string, read: readonly ReadEvent[]): History {
  const events = read.map(event => ({ ...event, time: Date.parse(event.at) }))
  const statuses: (string | null)[] = []
  for (const event of events) {
    const before = statuses.length === 0 ? '' : (statuses.at(-1) ?? null)
    statuses.push(before === null ? null : (table[before]?.[move(event)] ?? null))
  }
  return {
    action_id: actionId,
    tenant_id: tenantId,
    proposal_id: String(events[0]?.payload.proposal_id),
    proposer: String(events[0]?.principal.id),
    events,
    statuses,
    status: statuses.at(-1) ?? null,
  }
}

/** Moves that the table does not have, as sentences; also attempts that do not count up and tokens that do not grow. */
export function illegalMoves({ action_id, events, statuses }: History): string[] {
  const wrong: string[] = []
  const at = statuses.indexOf(null)
  const event = events[at]
  if (event) wrong.push(`${action_id}: ${move(event)} after ${statuses[at - 1] ?? 'nothing'}`)
  const attempts = events.filter(({ kind }) => kind === 'execution_attempt').map(({ payload }) => payload)
  if (attempts.some(({ attempt }, place) => attempt !== place + 1))
    wrong.push(`${action_id}: its attempts do not count from one`)
  const tokens = attempts.map(({ token }) => Number(token))
  if (tokens.some((token, place) => !(token > (tokens[place - 1] ?? 0))))
    wrong.push(`${action_id}: its fencing tokens do not grow`)
  return wrong
}

function move({ kind, payload }: ReadEvent): string {
  if (kind === 'verdict') return `verdict ${payload.decision}`
  return kind === 'execution' || kind === 'reconciliation' ? `${kind} ${payload.outcome}` : kind
}

/** Nothing more will happen by itself: it has ended, or it is left to an operator. */
export function isSettled({ status, events }: History): boolean {
  if (terminal.has(status)) return true
  return status === 'outcome_unknown' && events.at(-1)?.payload.needs_operator === true
}
