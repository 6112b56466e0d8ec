import { prefixedHex } from '../../canon/digest.ts'
import type { ActionSummary, HeldAction, RecordedVerdict, Trace } from '../../contract/action/action.ts'
import { type ActionStatus, actionStatuses } from '../../contract/action/action-status.ts'
import type { RecordedProposal } from '../../contract/action/proposal-schema.ts'
import { ServiceError } from '../../contract/base/errors.ts'
import { outcomeOf } from '../../lifecycle/action-outcome.ts'
import { isSettled } from '../../lifecycle/status.ts'
import { approvalsOf, commentsOf, readTrace, traceEvent } from '../../lifecycle/trace.ts'
import { monotonicMs } from '../../runtime/clock.ts'
import {
  type ListedAction,
  type ListedSummary,
  listActions as listStored,
  listSummaries,
  type Page,
  type StoredAction,
  type StoredVersion,
  type Wanted,
} from '../../store/action/actions.ts'
import type { Reader } from '../../store/postgres/open.ts'
import { reviewUrl } from '../core/configured.ts'
import type { Context } from '../core/context.ts'
import { readActionTogether, readVersionTogether } from '../core/read-together.ts'
import { type HeldRoutes, heldRoute, readHeldRoutes, type Viewer, viewerHolder } from './held-routes.ts'

export interface TraceRequest extends Wanted {
  known: readonly string[]
  /** Milliseconds to wait for a change from the known ETags, or for the action to settle. */
  wait_ms: number
  /**
   * True if the caller may see only actions that were held for a person; every other action is answered as not
   * found.
   */
  held_only: boolean
  /** Rejects if the caller has lost access; it is called after each wait, because access may end meanwhile. */
  confirm(): Promise<void>
}

/** A trace with its ETag; `trace` is null if the caller already has the current one. */
export interface TraceAnswer {
  etag: string
  trace: Trace | null
  settled: boolean
}

/**
 * Reads the audited trace of an action in any state (specification.md#endpoints). With `wait_ms` it waits until
 * the action differs from the caller's version or settles.
 */
export async function readActionTrace(context: Context, request: TraceRequest): Promise<TraceAnswer> {
  const { action_id, known } = request
  await refuseUnlessVisible(context, request)
  if (request.wait_ms === 0 && known.length === 0) return fullTrace(context, request)
  const deadline = monotonicMs() + request.wait_ms
  for (;;) {
    const version = found(await readVersionTogether(context, request), action_id)
    const etag = etagOf(version)
    const isKnown = known.includes(etag) || known.includes('*')
    const settled = isSettled(version.status)
    const left = context.watch.closed() || settled ? 0 : deadline - monotonicMs()
    if (left <= 0 && isKnown) return { etag, trace: null, settled }
    if (left <= 0 || (known.length > 0 && !isKnown)) return fullTrace(context, request)
    await context.watch.changed(action_id, version.event_count, left)
    await request.confirm()
  }
}

export interface ActionPage {
  tenant_id: string
  limit: number
  cursor: string | undefined
}

export async function listActions(
  context: Context,
  page: ActionPage & { status: ActionStatus | undefined },
): Promise<{ actions: ActionSummary[]; next_cursor: string | null }> {
  const rows = await listSummaries(...pageIn(context, page, page.status ? [page.status] : actionStatuses))
  return { actions: rows.flatMap(({ followed: _, ...row }) => summary(row)), next_cursor: cursorAfter(rows) }
}

/** Returns one page of the actions that wait for a person, newest first (GET /v1/approvals). */
export async function listApprovals(
  context: Context,
  page: ActionPage & { viewer: Viewer },
): Promise<{ approvals: HeldAction[]; next_cursor: string | null }> {
  const rows = await listStored(...pageIn(context, page, ['pending_approval']))
  const routes = await routesOf(context, rows, page)
  return {
    approvals: rows.flatMap(row => heldAction(row, context, { ...page, routes })),
    next_cursor: cursorAfter(rows),
  }
}

/** Returns one action that waits for a person (GET /v1/approvals/{action_id}). */
export async function readApproval(
  context: Context,
  { tenant_id, action_id, viewer }: { tenant_id: string; action_id: string; viewer: Viewer },
): Promise<HeldAction> {
  const page = { tenant_id, limit: 1, cursor: `${action_id}!` }
  const rows = await listStored(...pageIn(context, page, ['pending_approval']))
  const routes = await routesOf(context, rows, { tenant_id, viewer })
  const [held] = rows.flatMap(row => heldAction(row, context, { tenant_id, routes }))
  if (held?.action_id !== action_id)
    throw new ServiceError('action_not_found', `no action ${action_id} waits for a decision`)
  return held
}

/** Returns proposal and verdict of an action that is or was held; the caller has already been authorized. */
export async function readWhatWasHeld(
  context: Context,
  { tenant_id, action_id }: { tenant_id: string; action_id: string },
): Promise<{ proposal: RecordedProposal; verdict: RecordedVerdict }> {
  const stored = await readActionTogether(context, { tenant_id, action_id, key_id: null })
  const { proposal = null, verdict = null } = stored ? readTrace(stored.events) : {}
  if (!proposal || verdict?.decision !== 'needs_approval') throw notFound(action_id)
  return { proposal, verdict }
}

async function refuseUnlessVisible(context: Context, request: TraceRequest): Promise<void> {
  if (!request.held_only) return
  if (!wasHeld(found(await readActionTogether(context, request), request.action_id)))
    throw notFound(request.action_id)
}

/** True if a person decides or decided the action; for erased content only the kinds of its events show that. */
function wasHeld({ events: recorded }: StoredAction): boolean {
  const { verdict, events } = readTrace(recorded)
  return verdict ? verdict.decision === 'needs_approval' : events.some(({ kind }) => ofHeld.has(kind))
}

const ofHeld: ReadonlySet<string> = new Set([
  'approval',
  'partial_approval',
  'rejection',
  'expiry',
  'cancellation',
  'comment',
  'change_request',
  'supersession',
  'escalation',
])

function pageIn(
  { store }: Context,
  { tenant_id: tenantId, limit, cursor }: ActionPage,
  statuses: readonly ActionStatus[],
): [Reader, Page] {
  return [store.readEach([tenantId]), { tenantId, statuses, limit, before: cursor ?? null }]
}

function cursorAfter(rows: readonly Pick<ListedAction, 'action_id' | 'followed'>[]): string | null {
  const last = rows.at(-1)
  return last?.followed ? last.action_id : null
}

async function fullTrace(context: Context, request: TraceRequest): Promise<TraceAnswer> {
  const stored = found(await readActionTogether(context, request), request.action_id)
  return { etag: etagOf(stored), trace: traceOf(context, stored), settled: isSettled(stored.status) }
}

/**
 * Returns the row; throws `action_not_found` if there is none and `invalid_key` if the key of the request has
 * ended.
 */
function found<Stored extends { key_good: boolean }>(stored: Stored | null, actionId: string): Stored {
  if (!stored) throw notFound(actionId)
  if (!stored.key_good) throw new ServiceError('invalid_key')
  return stored
}

function traceOf(context: Context, stored: StoredAction): Trace {
  const { proposal, verdict, approval, approvals, comments, execution, events } = readTrace(stored.events)
  if (!proposal || !verdict) throw contentErased(stored.action_id)
  return {
    action_id: stored.action_id,
    tenant_id: stored.tenant_id,
    proposal,
    status: stored.status,
    verdict,
    approval,
    ...(approvals ? { approvals } : {}),
    ...(comments.length > 0 ? { comments } : {}),
    ...(stored.status === 'pending_approval' ? { review_url: reviewUrl(context, stored) } : {}),
    outcome: outcomeOf(stored.status, { verdict, events }),
    execution,
    job: stored.job,
    audit_root: prefixedHex(stored.audit_root),
    events,
    created_at: stored.created_at,
    updated_at: stored.updated_at,
  }
}

/**
 * The event count and root identify a trace, since every event changes the root; only the time of the next
 * question to the downstream changes without an event.
 */
function etagOf({ event_count, audit_root, asked_next_at }: StoredVersion): string {
  const asked = asked_next_at === null ? '' : `-${asked_next_at.replaceAll(/\D/g, '')}`
  return `"${event_count}-${audit_root.toString('hex').slice(0, 32)}${asked}"`
}

export function summary(listed: Omit<ListedSummary, 'followed'>): ActionSummary[] {
  const { agent_id, summary: told, decision, effective_risk } = listed
  if (agent_id === null || told === null || decision === null || effective_risk === null) return []
  return [{ ...listed, agent_id, summary: told, decision, effective_risk }]
}

export function heldAction(
  listed: Omit<ListedAction, 'followed'>,
  context: Context,
  { tenant_id, routes }: { tenant_id: string; routes: HeldRoutes },
): HeldAction[] {
  const content = contentOf(listed)
  if (!content || !listed.held_until) return []
  const events = (listed.said ?? []).map(texts => traceEvent({ ...texts, leaf: '' }))
  const approvals = approvalsOf(content.verdict, events)
  const comments = commentsOf(events)
  return [
    {
      action_id: listed.action_id,
      status: listed.status,
      ...content,
      review_route: content.verdict.review_route ?? '',
      review_url: reviewUrl(context, { tenant_id, action_id: listed.action_id }),
      ...(approvals ? { approvals } : {}),
      ...heldRoute(content.verdict, { tenant_id, events, routes }),
      ...(comments.length > 0 ? { comments } : {}),
      created_at: listed.created_at,
      expires_at: listed.held_until,
    },
  ]
}

async function routesOf(
  context: Context,
  rows: readonly Pick<ListedAction, 'verdict'>[],
  { tenant_id, viewer }: { tenant_id: string; viewer: Viewer },
): Promise<HeldRoutes> {
  const holder = await viewerHolder(context, viewer)
  const ofTenant = rows.map(({ verdict }) => ({ tenant_id, verdict }))
  return readHeldRoutes(context.store.readEach([tenant_id]), ofTenant, holder)
}

/** Returns null if the content was erased, since lists omit such an action. */
function contentOf(
  listed: Pick<ListedAction, 'proposal' | 'verdict'>,
): { proposal: RecordedProposal; verdict: RecordedVerdict } | null {
  if (listed.proposal === null || listed.verdict === null) return null
  return {
    proposal: JSON.parse(listed.proposal) as RecordedProposal,
    verdict: JSON.parse(listed.verdict) as RecordedVerdict,
  }
}

function notFound(actionId: string): ServiceError {
  return new ServiceError('action_not_found', `no action ${actionId}`)
}

/** The error for erased content, which names the audit export because that still proves the history. */
export function contentErased(actionId: string): ServiceError {
  return new ServiceError('action_erased', `the content of ${actionId} was erased; its audit-export remains`)
}
