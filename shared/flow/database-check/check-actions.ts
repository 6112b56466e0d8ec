import { merkleRoot } from '../../audit/merkle/merkle.ts'
import { statementOrigin } from '../../audit/note/checkpoint.ts'
import type { TrustedKey } from '../../audit/note/trusted-keys.ts'
import {
  accountProblem,
  editProblem,
  pairProblem,
  type QuorumEvent,
  quorumProblem,
  requestProblem,
} from '../../audit/verify/approval-problems.ts'
import { statusAfterEvent } from '../../audit/verify/event-status.ts'
import { grantProblem } from '../../audit/verify/grant-problem.ts'
import { routeProblem } from '../../audit/verify/route-problems.ts'
import { type TimedEvent, timeProblem } from '../../audit/verify/time-problems.ts'
import { hex } from '../../canon/digest.ts'
import { type AuditEvent, actionEventKindSchema } from '../../contract/action/audit.ts'
import { isPlainObject, type JsonObject } from '../../contract/base/json.ts'
import type {
  ActionPage,
  WalkedAction,
  WalkedActionEvent,
  WalkedStatement,
  WalkedUse,
} from '../../store/log/audit-walk.ts'
import { type Counters, differs, isUnproven } from './check-counters.ts'
import { noteProblem, readNote } from './check-note.ts'
import { checkPart } from './check-stream.ts'

/**
 * Checks a page of actions against everything stored about them: events, payloads, summary row and signed
 * statements. It reports the first fault among an action's events, and leaves out the faults that follow from it.
 */
export function checkActions(page: ActionPage, trusted: readonly TrustedKey[], tally: Counters): void {
  const rows = new Map(page.actions.map(action => [action.action_id, action]))
  const events = byAction(page.events)
  const statements = byAction(page.statements)
  const unsigned = new Set(page.unsigned)
  for (const id of page.ids) {
    const stored = {
      id,
      row: rows.get(id),
      events: (events.get(id) ?? []).sort((one, other) => one.sequence - other.sequence),
      statements: statements.get(id) ?? [],
    }
    const problems = [...checkAction({ ...stored, page, trusted }, tally), ...editsProblems(stored, events)]
    for (const problem of problems) differs(tally, `action/${id}`, problem)
    if (problems.length === 0 && !unsigned.has(id)) checkSigned(stored, page, tally)
  }
  tally.counted.actions += page.ids.length
  tally.counted.events += page.events.length
  tally.counted.statements += page.statements.length
}

interface StoredAction {
  id: string
  row: WalkedAction | undefined
  events: readonly WalkedActionEvent[]
  statements: readonly WalkedStatement[]
}

function byAction<Row extends { action_id: string }>(rows: readonly Row[]): Map<string, Row[]> {
  const found = new Map<string, Row[]>()
  for (const row of rows) {
    const of = found.get(row.action_id)
    if (of === undefined) found.set(row.action_id, [row])
    else of.push(row)
  }
  return found
}

function checkAction(
  action: StoredAction & { page: ActionPage; trusted: readonly TrustedKey[] },
  tally: Counters,
): string[] {
  const { id, row, events, statements } = action
  if (row === undefined)
    return [`there are ${events.length} events and ${statements.length} statements of it, and no action`]
  const { tenant_id: tenantId } = row
  const stream = {
    tenantId,
    name: `action/${id}`,
    erasedBefore: events.findLast(({ kind }) => kind === 'erasure')?.sequence ?? 0,
    waiting: action.page.waiting,
  }
  const checked = checkPart(stream, events, { first: 0, prev: null }, tally)
  if (checked.problem !== null) return [checked.problem]
  const problem =
    movesProblem(events) ??
    approvalsProblem(events) ??
    timesProblem(events) ??
    requestsProblem(events) ??
    usesProblem(events, action.page.uses.get(id)) ??
    rowProblem(row, events, checked)
  const about = { tenantId, leaves: checked.leaves, trusted: action.trusted }
  const ofStatements = statements.flatMap(statement => checkStatement(statement, about, tally) ?? [])
  return problem === null ? ofStatements : [problem, ...ofStatements]
}

function movesProblem(events: readonly WalkedActionEvent[]): string | null {
  const lastTold = events.findLast(({ kind }) => kind !== 'erasure')
  let status: string | null = null
  for (const event of events) {
    const { sequence, status_from, status_to } = event
    if (status_from !== status)
      return `event ${sequence}: the row moves from ${status_from}, and it was ${status}`
    const told: string | null = event.kind === 'erasure' ? status_from : standing(event, event === lastTold)
    if (told !== 'not_told' && told !== status_to)
      return `event ${sequence}: the row moves to ${status_to}, and the event says ${told}`
    status = status_to
  }
  return null
}

/**
 * Returns the status after an event, or `not_told` if its kind does not determine it; then only the payload of the
 * last event is read.
 */
function standing({ kind, payload }: WalkedActionEvent, isLast: boolean): string {
  const known = actionEventKindSchema.options.find(name => name === kind)
  if (known === undefined) return 'nothing_known'
  const told = statusAfterEvent({ event: { kind: known }, payload: null })
  if (told !== 'not_told' || !isLast || typeof payload !== 'string') return told
  return statusAfterEvent({ event: { kind: known }, payload: asObject(payload) })
}

/** Checks actions with several approvals or a route; others are skipped, since most need one approval of anyone. */
function approvalsProblem(events: readonly WalkedActionEvent[]): string | null {
  const verdict = events[1]?.payload
  const isQuorum =
    (typeof verdict === 'string' &&
      (verdict.includes('"approvals_required"') || verdict.includes('"route_hash"'))) ||
    events.some(({ kind }) => kind === 'partial_approval')
  if (!isQuorum) return null
  const told = readEvents(events)
  return quorumProblem(told) ?? accountProblem(told) ?? routeProblem(told)
}

/** Checks actions that were held; others are skipped, since most actions are allowed at once. */
function timesProblem(events: readonly WalkedActionEvent[]): string | null {
  const verdict = events[1]?.payload
  const isHeld = typeof verdict === 'string' && verdict.includes('"needs_approval"')
  return isHeld ? timeProblem(readEvents(events)) : null
}

function readEvents(events: readonly WalkedActionEvent[]): (QuorumEvent & TimedEvent)[] {
  return events.map(({ sequence, kind, text, payload }) => {
    const { principal, at } = JSON.parse(String(text)) as AuditEvent
    return {
      place: sequence,
      kind,
      principal,
      at,
      payload: typeof payload === 'string' ? asObject(payload) : null,
    }
  })
}

function editsProblems(
  { id, events }: Pick<StoredAction, 'id' | 'events'>,
  page: ReadonlyMap<string, WalkedActionEvent[]>,
): string[] {
  const first = events[0]?.payload
  const isEdit =
    events.some(({ kind }) => kind === 'supersession') ||
    (typeof first === 'string' && first.includes('"supersedes"'))
  if (!isEdit || events.some(({ text }) => !isObjectText(text))) return []
  const told = readEvents(events)
  const problem = editProblem(told)
  if (problem !== null) return [problem]
  const nextId = told.find(({ kind }) => kind === 'supersession')?.payload?.superseded_by
  const next = typeof nextId === 'string' ? page.get(nextId) : undefined
  if (typeof nextId !== 'string' || !next?.every(({ text }) => isObjectText(text))) return []
  return [
    pairProblem({ action_id: id, events: told }, { action_id: nextId, events: readEvents(next) }),
  ].filter(found => found !== null)
}

/** True if the event can be read; otherwise an earlier check has reported it. */
function isObjectText(text: unknown): boolean {
  return typeof text === 'string' && 'principal' in asObject(text)
}

/** Checks actions whose request an approver saw; others are skipped, since most actions are allowed at once. */
function requestsProblem(events: readonly WalkedActionEvent[]): string | null {
  const verdict = events[1]?.payload
  if (typeof verdict !== 'string' || !verdict.includes('"request_hash"')) return null
  return requestProblem(
    events.map(({ sequence, kind, payload }) => ({
      place: sequence,
      kind,
      payload: typeof payload === 'string' ? asObject(payload) : null,
    })),
  )
}

/** Checks that a grant's verdict and use name each other, and that the verdict is within the grant. */
function usesProblem(events: readonly WalkedActionEvent[], use: WalkedUse | undefined): string | null {
  const [first, verdict] = events
  if (typeof verdict?.payload !== 'string') return null
  const payload = verdict.payload.includes('"grant":') ? asObject(verdict.payload) : {}
  if (payload.grant === undefined)
    return use === undefined ? null : 'it is a use of a grant, and its verdict names none'
  if (use === undefined) return 'its verdict names a grant of which it is no use'
  const named = isPlainObject(payload.grant) ? payload.grant : {}
  if (use.clause_hash !== named.clause_hash || use.use !== named.use)
    return 'its verdict names another use of a grant'
  const { at } = JSON.parse(String(verdict.text)) as AuditEvent
  const proposal = typeof first?.payload === 'string' ? asObject(first.payload) : null
  return grantProblem({ place: verdict.sequence, at, verdict: payload, proposal })
}

/** Treats invalid JSON as an empty object, so that the comparison reports it as a difference. */
function asObject(text: string): JsonObject {
  try {
    return Object(JSON.parse(text))
  } catch {
    return {}
  }
}

function rowProblem(
  row: WalkedAction,
  events: readonly WalkedActionEvent[],
  { leaves, hexLeaves }: { leaves: Buffer[]; hexLeaves: string[] },
): string | null {
  const last = events.at(-1)
  if (last === undefined) return 'the action has no event'
  if (row.event_count !== events.length)
    return `the action says that it has ${row.event_count} events, and there are ${events.length}`
  if (row.leaf_hashes !== hexLeaves.join('')) return 'leaf_hashes of the action are not those of its events'
  if (row.audit_root !== hex(merkleRoot(leaves)))
    return 'audit_root of the action is not the root of its events'
  return row.status === last.status_to
    ? null
    : `the action is ${row.status}, and its events leave it ${last.status_to}`
}

function checkStatement(
  { action_id, tenant_id, event_count, note }: WalkedStatement,
  { tenantId, leaves, trusted }: { tenantId: string; leaves: Buffer[]; trusted: readonly TrustedKey[] },
  tally: Counters,
): string | null {
  const what = `the statement about ${event_count} events`
  if (tenant_id !== tenantId) return `${what}: the row is of the tenant ${tenant_id}`
  if (event_count > leaves.length) return `${what}: there are ${leaves.length}`
  const read = readNote(note, trusted)
  if (!read.ok) return `${what}: ${read.error}`
  const originOf = (name: string): string => statementOrigin(name, tenantId, action_id)
  const root = merkleRoot(event_count === leaves.length ? leaves : leaves.slice(0, event_count))
  const problem = noteProblem(read.value, { originOf, size: event_count, root })
  if (problem !== null) return `${what}: ${problem}`
  if (!read.value.proven) isUnproven(tally, 'statements that no given key signed', `action/${action_id}`)
  return null
}

/**
 * Counts an action without a signed statement about all of its events as unproven, unless its latest events still
 * wait for the log.
 */
function checkSigned({ id, row, statements }: StoredAction, page: ActionPage, tally: Counters): void {
  const waits = page.waiting.some(({ stream }) => stream === `action/${id}`)
  if (waits || statements.some(({ event_count }) => event_count === row?.event_count)) return
  isUnproven(tally, 'actions without a signed statement about all of their events', `action/${id}`)
}
