import { Refused } from './failures.ts'
import { readTrace } from './follow.ts'
import { type Connection, send } from './send.ts'
import type {
  ActionOutcome,
  ActionStatus,
  ApprovalRecord,
  Approvals,
  Comment,
  CommentResponse,
  DecisionResponse,
  HeldAction,
} from './wire.ts'

/** One page of a list; `nextCursor` is null on the last page. */
export interface Page<Item> {
  items: Item[]
  nextCursor: string | null
}

export interface PageOptions {
  limit?: number | undefined
  cursor?: string | undefined
  signal?: AbortSignal | undefined
}

export interface DecisionOptions {
  note?: string | undefined
  /** The hash of the content that the approver saw; the service refuses a decision about other content. */
  proposalHash?: string | undefined
  requestHash?: string | undefined
  signal?: AbortSignal | undefined
}

export interface Decided {
  actionId: string
  status: ActionStatus
  approvals: Approvals | null
  outcome: ActionOutcome | null
  auditRoot: string
}

export interface ApprovalCalls {
  /** Lists one page of the held actions, newest first. */
  list(options?: PageOptions): Promise<Page<HeldAction>>
  /** Iterates over all held actions and fetches pages as needed. */
  each(options?: PageOptions): AsyncIterable<HeldAction>
  get(actionId: string, options?: { signal?: AbortSignal | undefined }): Promise<HeldAction>
  approve(actionId: string, options?: DecisionOptions): Promise<Decided>
  reject(actionId: string, options?: DecisionOptions): Promise<Decided>
  /** Adds a comment or a request for changes to a held action; returns all its comments. */
  comment(
    actionId: string,
    comment: Pick<Comment, 'kind' | 'text'>,
    options?: { signal?: AbortSignal | undefined },
  ): Promise<Comment[]>
}

export function approvalCalls(connection: Connection): ApprovalCalls {
  const list = (options: PageOptions = {}) =>
    readPage<HeldAction>(connection, { path: '/v1/approvals', member: 'approvals' }, options)
  return {
    list,
    each: options => everyItem(list, options),
    async get(actionId, { signal } = {}) {
      const path = `/v1/approvals/${encodeURIComponent(actionId)}`
      const sending = { method: 'GET', path, expects: 'action_id', heldMs: 0 } as const
      const answer = await send(connection, sending, { about: { actionId, proposalId: null }, signal })
      return answer.body as unknown as HeldAction
    },
    approve: (actionId, options = {}) => decide(connection, { verb: 'approve', actionId }, options),
    reject: (actionId, options = {}) => decide(connection, { verb: 'reject', actionId }, options),
    async comment(actionId, { kind, text }, { signal } = {}) {
      const sending = {
        method: 'POST',
        path: `/v1/actions/${encodeURIComponent(actionId)}/comments`,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ kind, text }),
        expects: 'comments',
        heldMs: 30_000,
      } as const
      const answer = await send(connection, sending, { about: { actionId, proposalId: null }, signal })
      return (answer.body as unknown as CommentResponse).comments
    },
  }
}

const recordedAs = { approve: 'approved', reject: 'rejected', cancel: 'cancelled' } as const

/**
 * Decides about a held action. If the first answer was lost, the retry finds the action already decided. The
 * client then reads the trace to see if this key made the same decision.
 */
export async function decide(
  connection: Connection,
  { verb, actionId }: { verb: keyof typeof recordedAs; actionId: string },
  { note, proposalHash, requestHash, signal }: DecisionOptions,
): Promise<Decided> {
  const about = { actionId, proposalId: null }
  const sending = {
    method: 'POST',
    path: `/v1/actions/${encodeURIComponent(actionId)}/${verb}`,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ note, proposal_hash: proposalHash, request_hash: requestHash }),
    expects: 'action_status',
    heldMs: 30_000,
  } as const
  try {
    const { body } = await send(connection, sending, { about, signal })
    return ofResponse(body as unknown as DecisionResponse)
  } catch (error) {
    if (!(error instanceof Refused && error.code === 'action_not_approvable' && error.repeated)) throw error
    const trace = await readTrace(connection, actionId, signal)
    if (!isOwn(trace.approval, connection.keyId, recordedAs[verb])) throw error
    return {
      actionId,
      status: trace.status,
      approvals: trace.approvals ?? null,
      outcome: trace.outcome,
      auditRoot: trace.audit_root,
    }
  }
}

function isOwn(record: ApprovalRecord | null, keyId: string, decision: ApprovalRecord['decision']): boolean {
  return record?.decision === decision && record.principal.id === keyId
}

function ofResponse(response: DecisionResponse): Decided {
  return {
    actionId: response.action_id,
    status: response.action_status,
    approvals: response.approvals ?? null,
    outcome: response.outcome ?? null,
    auditRoot: response.audit_root,
  }
}

export async function readPage<Item>(
  connection: Connection,
  { path, member, query = {} }: { path: string; member: string; query?: Record<string, string> },
  { limit, cursor, signal }: PageOptions,
): Promise<Page<Item>> {
  const asked = new URLSearchParams(query)
  if (limit !== undefined) asked.set('limit', String(limit))
  if (cursor !== undefined) asked.set('cursor', cursor)
  const sending = { method: 'GET', path: `${path}?${asked}`, expects: member, heldMs: 0 } as const
  const { body } = await send(connection, sending, { about: { actionId: null, proposalId: null }, signal })
  return {
    items: body[member] as unknown as Item[],
    nextCursor: typeof body.next_cursor === 'string' ? body.next_cursor : null,
  }
}

export async function* everyItem<Item, Options extends PageOptions>(
  list: (options: Options) => Promise<Page<Item>>,
  options: Options = {} as Options,
): AsyncIterable<Item> {
  for (let cursor = options.cursor; ; ) {
    const page = await list({ ...options, cursor })
    yield* page.items
    if (page.nextCursor === null) return
    cursor = page.nextCursor
  }
}
