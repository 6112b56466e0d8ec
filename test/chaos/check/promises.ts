import type { ExportLine, JournalLine } from './evidence.ts'
import { groupBy } from './group-by.ts'
import { type History, isSettled } from './history.ts'

/** What the service promised its clients and did not keep, each as a sentence. */
export interface PromiseProblems {
  /** Acknowledged, and not there, or not carried to an end. */
  lost: string[]
  /** Several actions for one proposal. */
  duplicates: string[]
  /** A held action that was decided twice, or whose decision is not the one that was acknowledged. */
  decided_twice: string[]
}

export function checkPromises(
  histories: readonly History[],
  journal: readonly JournalLine[],
  exports: readonly ExportLine[],
): PromiseProblems {
  const known = new Map(histories.map(history => [history.action_id, history]))
  const exported = new Set(exports.flatMap(line => (line.exported === null ? [] : [line.action_id])))
  return {
    lost: [
      ...missing(journal, exported),
      ...exports.filter(line => line.exported === null).map(line => `${line.action_id}: it has no export`),
      ...histories
        .filter(history => !isSettled(history))
        .map(({ action_id, status }) => `${action_id}: it is ${status}, not settled`),
      ...journal.flatMap(line => lostDecision(line, known)),
    ],
    duplicates: duplicates(histories, journal),
    decided_twice: [...histories.flatMap(decidedTwice), ...severalWinners(journal, known)],
  }
}

function missing(journal: readonly JournalLine[], exported: ReadonlySet<string>): string[] {
  const promised = journal.filter(({ op, result }) => op === 'submit' && result === 'ok')
  const ids = new Set(promised.map(({ action_id, proposal_id }) => action_id ?? `none for ${proposal_id}`))
  return [...ids].filter(id => !exported.has(id)).map(id => `${id}: acknowledged, and not exported`)
}

/** The events by which a decision is recorded. */
const eventsOf = {
  approve: ['approval', 'partial_approval'],
  reject: ['rejection'],
  cancel: ['cancellation'],
}

function lostDecision(line: JournalLine, known: ReadonlyMap<string, History>): string[] {
  const { op, result, action_id, by } = line
  if (op === 'submit' || result !== 'ok' || action_id === null) return []
  return recordOf(line, known) === undefined
    ? [`${action_id}: ${op} was acknowledged, and there is none by ${by}`]
    : []
}

/** The event of a decision, by whoever asked for it. */
function recordOf(
  { op, action_id, by }: JournalLine,
  known: ReadonlyMap<string, History>,
): string | undefined {
  if (op === 'submit' || action_id === null) return undefined
  const events = known.get(action_id)?.events ?? []
  return events.find(({ kind, principal }) => eventsOf[op].includes(kind) && principal.id === by)?.kind
}

function duplicates(histories: readonly History[], journal: readonly JournalLine[]): string[] {
  const named = [
    ...histories,
    ...journal.flatMap(({ op, tenant_id, proposal_id, action_id }) =>
      op === 'submit' && action_id !== null ? [{ tenant_id, proposal_id, action_id }] : [],
    ),
  ]
  const byProposal = groupBy(named, ({ tenant_id, proposal_id }) => `${tenant_id} ${proposal_id}`)
  return [...byProposal].flatMap(([proposal, found]) => {
    const ids = new Set(found.map(({ action_id }) => action_id))
    return ids.size < 2 ? [] : [`${proposal}: ${[...ids].join(' and ')}`]
  })
}

const decisions: ReadonlySet<string> = new Set([
  'approval',
  'rejection',
  'cancellation',
  'expiry',
  'supersession',
])

function decidedTwice({ action_id, events }: History): string[] {
  const kinds = events.map(({ kind }) => kind).filter(kind => decisions.has(kind))
  return kinds.length < 2 ? [] : [`${action_id}: ${kinds.join(' and ')}`]
}

/**
 * Of the decisions of one action only one may have been acknowledged. Approvals before the last that the verdict demands
 * decide nothing: the action goes on waiting, and may still be rejected.
 */
function severalWinners(journal: readonly JournalLine[], known: ReadonlyMap<string, History>): string[] {
  const won = journal.filter(
    line => line.op !== 'submit' && line.result === 'ok' && recordOf(line, known) !== 'partial_approval',
  )
  return [...groupBy(won, ({ action_id }) => action_id)].flatMap(([id, lines]) =>
    lines.length < 2 ? [] : [`${id}: ${lines.map(({ op }) => op).join(' and ')} were acknowledged`],
  )
}
