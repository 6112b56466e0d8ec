import { canonicalJson } from '../../canon/canonical-json.ts'
import { documentHash } from '../../canon/digest.ts'
import type { EditRequest, EditResponse } from '../../contract/action/decision-schema.ts'
import type { RecordedProposal } from '../../contract/action/proposal-schema.ts'
import type { KeyPrincipal } from '../../contract/action/verdict.ts'
import { ServiceError } from '../../contract/base/errors.ts'
import type { JsonValue } from '../../contract/base/json.ts'
import { approve, supersede } from '../../lifecycle/decide.ts'
import { unrecordedHolder } from '../../lifecycle/holder.ts'
import type { Decide } from '../../lifecycle/move.ts'
import { readTrace } from '../../lifecycle/trace.ts'
import { ok } from '../../result.ts'
import { newActionId } from '../../runtime/ids.ts'
import { readAction, type StoredAction } from '../../store/action/actions.ts'
import { appendChanges, insertAction } from '../../store/action/ledger.ts'
import type { Writer } from '../../store/postgres/open.ts'
import { announce, type ChangeOutcome, type CommittedChange, judgeChanges } from '../core/change-action.ts'
import { principalOf } from '../core/change-config.ts'
import type { Rules } from '../core/compile-rules.ts'
import type { Context } from '../core/context.ts'
import {
  type ApprovalDecider,
  authorOf,
  payloadOf,
  type RequestSpan,
  refusalError,
  respond,
  tooLate,
} from './decide-approval.ts'
import { decideProposal, type Opening, sealOpening } from './seal-opening.ts'
import { staleRulesRetries } from './submit-proposal.ts'
import { retryOnOutage } from './wait-and-retry.ts'

export interface EditedAction {
  decider: ApprovalDecider
  action_id: string
  request: EditRequest
  wait_ms: number
  span: RequestSpan
}

interface Edit extends EditedAction {
  next: string
  proposal: RecordedProposal
  principal: KeyPrincipal & { tenant_id: string }
  holder: string
  approvals_min: number
  route_hash: string | undefined
}

/**
 * Edits a held action and approves the result (specification.md#edits): the gate decides the edited proposal as a
 * new action, the old one ends, and the editor's approval counts first if the new one is held. One transaction
 * does all of it; a denial by the gate changes nothing.
 */
export async function editAction(context: Context, edited: EditedAction): Promise<EditResponse> {
  const { decider, action_id, wait_ms } = edited
  const edit = await prepareEdit(context, edited)
  let tries = 0
  const written = await retryOnOutage(async () => {
    tries += 1
    return (tries > 1 ? await recordedBefore(context, edit) : null) ?? recordEdit(context, edit)
  })
  const answer = await respond(context, { action_id: edit.next, decider, wait_ms }, written)
  return { ...answer, supersedes: action_id }
}

/** Builds the edited proposal, which differs from the agent's only in parameters, id and recorded origin. */
async function prepareEdit(context: Context, edited: EditedAction): Promise<Edit> {
  const { decider, action_id, request } = edited
  const author = authorOf(decider)
  const stored = await readStored(context, edited)
  const { proposal, verdict } = readTrace(stored.events)
  if (!proposal || !verdict || stored.status !== 'pending_approval')
    throw await tooLate(context, { tenant_id: author.tenant_id, action_id }, stored.status)
  if (canonicalJson(proposal.action.parameters) === canonicalJson(request.parameters)) throw notEdited()
  const next = newActionId()
  const principal = { ...verdict.principal, tenant_id: author.tenant_id }
  const { key } = await context.findKey(principal.key_id)
  return {
    ...edited,
    next,
    principal,
    holder: key?.holder ?? unrecordedHolder,
    approvals_min: verdict.approvals_required ?? 1,
    route_hash: verdict.route_hash,
    proposal: {
      ...proposal,
      proposal_id: `edit-${next}`,
      action: { ...proposal.action, parameters: request.parameters },
      supersedes: { action_id, editor: principalOf(author), name: author.name },
    },
  }
}

function notEdited(): ServiceError {
  const message = 'are those that the action holds: approve it'
  const issue = { path: 'parameters', code: 'not_edited', message }
  return new ServiceError('validation_failed', `parameters: ${message}`, [issue])
}

async function readStored(context: Context, { decider, action_id }: EditedAction): Promise<StoredAction> {
  const { tenant_id } = authorOf(decider)
  const stored = await readAction(context.store.readEach([tenant_id]), tenant_id, action_id)
  if (!stored) throw new ServiceError('action_not_found', `no action ${action_id}`)
  return stored
}

interface Written {
  status: StoredAction['status']
  event_count: number
}

/** Returns the new action if an earlier attempt recorded it and its answer was lost. */
async function recordedBefore(context: Context, { principal, next }: Edit): Promise<Written | null> {
  const { tenant_id } = principal
  return readAction(context.store.readEach([tenant_id]), tenant_id, next)
}

async function recordEdit(context: Context, edit: Edit): Promise<Written> {
  const { tenant_id } = edit.principal
  for (let tries = 0; tries < staleRulesRetries; tries += 1) {
    const rules = await context.rules(tenant_id)
    if (!rules) throw new ServiceError('tenant_not_found')
    const written = await context.store
      .write([tenant_id], writer => writeEdit(context, writer, { edit, rules }))
      .catch(async (error: unknown) => {
        if (error instanceof RefusedEdit) throw await refusalOf(context, error)
        if (!(error instanceof StaleRules)) throw error
        await context.forgetRules(tenant_id, rules.version)
        return null
      })
    if (written) return report(context, edit, written)
  }
  throw new ServiceError('concurrent_change', 'the policy kept changing while the edit was decided')
}

interface WrittenEdit {
  opening: Opening
  ended: CommittedChange
  approval: CommittedChange | null
}

/**
 * An error that rolls the transaction back because the tenant's rules changed after the edited proposal was
 * decided.
 */
class StaleRules extends Error {
  constructor() {
    super('the rules changed while an edit was decided')
    this.name = 'StaleRules'
  }
}

type Refusal = Extract<ChangeOutcome, { ok: false }>['error']

/** An error that rolls the transaction back because one of the two decisions was refused. */
class RefusedEdit extends Error {
  readonly action: { action_id: string; tenant_id: string }
  readonly refusal: Refusal

  constructor(action: RefusedEdit['action'], refusal: Refusal) {
    super(`an edit was refused: ${refusal.reason}`)
    this.name = 'RefusedEdit'
    this.action = action
    this.refusal = refusal
  }
}

/**
 * Returns the error for a refused edit; it runs after the transaction, because reading the action takes another
 * connection.
 */
async function refusalOf(context: Context, { action, refusal }: RefusedEdit): Promise<ServiceError> {
  if (refusal.reason === 'illegal') return tooLate(context, action, refusal.status)
  return refusalError(action.action_id, refusal)
}

/** Locks the old action first, so that exactly one wins among an edit and other decisions. */
async function writeEdit(
  context: Context,
  writer: Writer,
  { edit, rules }: { edit: Edit; rules: Rules },
): Promise<WrittenEdit> {
  const { decider, action_id, request, next } = edit
  const said = payloadOf(decider, request.note === undefined ? {} : { note: request.note })
  const editor = principalOf(authorOf(decider))
  const how = supersede(editor, { ...said, superseded_by: next }, request.proposal_hash)
  const ended = await judgeOne(context, writer, { edit, action_id, decide: how })
  const opening = openingOf(context, edit, {
    rules,
    now: ended.at,
    traceparent: ended.traceparent ?? edit.span.traceparent,
  })
  const { outcome } = await insertAction(writer, opening, false)
  if (outcome !== 'made') throw new StaleRules()
  const approving = approve({
    approver: editor,
    payload: said,
    attempts_max: context.config.attempts_max,
    proposal_hash: opening.proposal_hash,
    request_hash: null,
  })
  const isHeld = opening.change.to === 'pending_approval'
  const approval = isHeld
    ? await judgeOne(context, writer, { edit, action_id: next, decide: approving })
    : null
  await appendChanges(writer, approval ? [ended, approval] : [ended])
  return { opening, ended, approval }
}

async function judgeOne(
  context: Context,
  writer: Writer,
  { edit, action_id, decide }: { edit: Edit; action_id: string; decide: Decide },
): Promise<CommittedChange> {
  const { decider, principal } = edit
  const { tenant_id } = principal
  const decided_by = 'key' in decider ? decider.key : decider
  const judged = await judgeChanges(context, writer, [{ action_id, tenant_id, decided_by, decide }])
  const outcome = judged.get(action_id)
  if (outcome?.ok) return outcome.value
  throw new RefusedEdit({ action_id, tenant_id }, outcome?.error ?? { reason: 'not_found' })
}

/**
 * Seals the edited action as the gate decides it; throws `edit_denied` for a denial, which is recorded nowhere.
 */
function openingOf(
  context: Context,
  { next, principal, proposal, holder, approvals_min, route_hash }: Edit,
  { rules, now, traceparent }: { rules: Rules; now: string; traceparent: string },
): Opening {
  const text = canonicalJson(proposal as unknown as JsonValue)
  const content = { text, hash: documentHash('proposal', text) }
  const grounds = { ...content, now, rules, holder, action_id: next, approvals_min }
  const proposed = { principal, proposal, traceparent }
  const opening = sealOpening(context, proposed, grounds, decideProposal(context, proposed, grounds))
  const { decision, blocking_reasons } = opening.verdict
  const isHeld = decision === 'needs_approval'
  if (isHeld && route_hash !== undefined && opening.verdict.route_hash !== route_hash) throw routeChanged()
  if (decision !== 'deny') return opening
  const issues = blocking_reasons.map(reason => {
    const [code = '', ...message] = reason.split(': ')
    return { path: 'parameters', code, message: message.join(': ') }
  })
  throw new ServiceError('edit_denied', blocking_reasons.join('; '), issues)
}

/**
 * Returns the error for an edit after a change of the routes, because the new action would otherwise be decided on
 * another route than the one under which the old action was held.
 */
function routeChanged(): ServiceError {
  const message = 'the route changed since the action was held: its agent proposes again'
  return new ServiceError('edit_denied', message, [{ path: '', code: 'route_changed', message }])
}

function report(context: Context, edit: Edit, { opening, ended, approval }: WrittenEdit): Written {
  edit.span.link(ended.traceparent)
  context.events.decided(opening.verdict.decision)
  context.events.approvalEnded('superseded', ended.age_ms)
  if (approval && approval.change.from !== approval.change.to)
    context.events.approvalEnded('approved', approval.age_ms)
  const last = approval ?? opening
  announce(context, [ok(ended), ok(last)])
  return { status: last.change.to, event_count: last.leaves.length }
}
