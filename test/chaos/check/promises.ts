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
    decided_twice: [...histories.flatMap(decidedTwice), ...severalWinners(journal)],
  }
}

function missing(journal: readonly JournalLine[], exported: ReadonlySet<string>): string[] {
  const promised = journal.filter(({ op, result }) => op === 'submit' && result === 'ok')
  const ids = new Set(promised.map(({ action_id, proposal_id }) => action_id ?? `none for ${proposal_id}`))
  return [...ids].filter(id => !exported.has(id)).map(id => `${id}: acknowledged, and not exported`)
}

const eventOf = { approve: 'approval', reject: 'rejection', cancel: 'cancellation' } as const

function lostDecision(line: JournalLine, known: ReadonlyMap<string, History>): string[] {
  const { op, result, action_id } = line
  if (op === 'submit' || result !== 'ok' || action_id === null) return []
  const events = known.get(action_id)?.events ?? []
  const wanted = isPartial(line) ? 'partial_approval' : eventOf[op]
  return events.some(({ kind }) => kind === wanted)
    ? []
    : [`${action_id}: ${op} was acknowledged, and there is no ${wanted}`]
}

/** One of several approvals that the action needs: it goes on waiting for the others. */
function isPartial({ op, action_status }: JournalLine): boolean {
  return op === 'approve' && action_status === 'pending_approval'
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

const decisions: ReadonlySet<string> = new Set(['approval', 'rejection', 'cancellation', 'expiry'])

function decidedTwice({ action_id, events }: History): string[] {
  const kinds = events.map(({ kind }) => kind).filter(kind => decisions.has(kind))
  return kinds.length < 2 ? [] : [`${action_id}: ${kinds.join(' and ')}`]
}

/** Of approvals, rejections and withdrawals of one action only one may have been acknowledged. */
function severalWinners(journal: readonly JournalLine[]): string[] {
  const won = journal.filter(line => line.op !== 'submit' && line.result === 'ok' && !isPartial(line))
  return [...groupBy(won, ({ action_id }) => action_id)].flatMap(([id, lines]) =>
    lines.length < 2 ? [] : [`${id}: ${lines.map(({ op }) => op).join(' and ')} were acknowledged`],
  )
}
