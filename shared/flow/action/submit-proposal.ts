import { canonicalJson } from '../../canon/canonical-json.ts'
import { documentHash, prefixedHex } from '../../canon/digest.ts'
import type { Proposal } from '../../contract/action/proposal-schema.ts'
import type { Verdict } from '../../contract/action/verdict.ts'
import { ServiceError } from '../../contract/base/errors.ts'
import type { JsonValue } from '../../contract/base/json.ts'
import { takesCallbacks } from '../../contract/webhook.ts'
import { outcomeOf } from '../../lifecycle/action-outcome.ts'
import { unrecordedHolder } from '../../lifecycle/holder.ts'
import { isAtRest } from '../../lifecycle/status.ts'
import { readTrace } from '../../lifecycle/trace.ts'
import { verdictView } from '../../lifecycle/verdict-view.ts'
import { isOfSeries } from '../../mcp/tool-proposal.ts'
import { ok } from '../../result.ts'
import { readActionByProposal, type StoredAction } from '../../store/action/actions.ts'
import type { Opened } from '../../store/action/ledger.ts'
import { listWebhooks } from '../../store/webhook/webhook-rows.ts'
import { announce } from '../core/change-action.ts'
import type { Rules } from '../core/compile-rules.ts'
import { pollingUrl, reviewUrl } from '../core/configured.ts'
import { type Context, keyHolder } from '../core/context.ts'
import { invalidBelow } from '../core/policy-document.ts'
import { openUnderGrant } from './open-under-grant.ts'
import { contentErased } from './read-actions.ts'
import {
  type Content,
  decideProposal,
  type Grounds,
  insertTogether,
  type Opening,
  type ProposedBy,
  sealOpening,
} from './seal-opening.ts'
import { retryOnOutage, waitUntilSettled } from './wait-and-retry.ts'

/** A proposal by an authenticated agent; `now` is from the database's clock. */
export interface Submission extends ProposedBy {
  now: string
  wait_ms: number
  /** True if the service made the id, because the tool call named none. */
  inSeries?: boolean
}

export const staleRulesRetries = 5

/**
 * Decides and records a proposal (specification.md#endpoints, POST /v1/actions). The same body again returns the
 * existing action in its current state; other content under the id is `proposal_conflict`.
 */
export async function submitProposal(context: Context, submission: Submission): Promise<Verdict> {
  const { proposal, inSeries = false } = submission
  if (!inSeries && isOfSeries(proposal.proposal_id))
    throw invalidBelow('the proposal is not valid', [reserved], '')
  const text = canonicalJson(proposal as unknown as JsonValue)
  const hash = documentHash('proposal', text)
  if (proposal.callback)
    await retryOnOutage(() => checkCallback(context, submission.principal.tenant_id, proposal))
  const opening = await retryOnOutage(() => openAction(context, submission, { text, hash }))
  if (!opening) return submittedAgain(context, submission, hash)
  context.events.decided(opening.verdict.decision)
  await context.reach('submit_committed')
  announce(context, [ok(opening)])
  await context.reach('submit_rung')
  if (submission.wait_ms === 0 || isAtRest(opening.change.to)) return openedVerdict(context, opening)
  const { action_id, tenant_id, leaves, change } = opening
  const seen = { status: change.to, event_count: leaves.length }
  await waitUntilSettled(context, { action_id, tenant_id }, seen, submission.wait_ms)
  return existingVerdict(context, await readExisting(context, submission, hash))
}

const reserved = {
  path: 'proposal_id',
  code: 'reserved_id',
  message: 'is of the form that the service gives to calls of tools without an id',
}

async function submittedAgain(context: Context, submission: Submission, hash: string): Promise<Verdict> {
  const existing = await readExisting(context, submission, hash)
  if (submission.wait_ms === 0 || isAtRest(existing.status)) return existingVerdict(context, existing)
  await waitUntilSettled(context, existing, existing, submission.wait_ms)
  return existingVerdict(context, await readExisting(context, submission, hash))
}

async function readExisting(
  context: Context,
  { principal: { tenant_id }, proposal }: Submission,
  hash: string,
): Promise<StoredAction> {
  const reader = context.store.readEach([tenant_id])
  const existing = await readActionByProposal(reader, tenant_id, proposal.proposal_id)
  if (!existing) throw new ServiceError('storage_unavailable', 'the action was stored and cannot be read')
  if (existing.proposal_hash === '') throw contentErased(existing.action_id)
  if (existing.proposal_hash !== hash) {
    throw new ServiceError(
      'proposal_conflict',
      `proposal ${proposal.proposal_id} exists with different content`,
    )
  }
  return existing
}

/** Returns the new action, or null if one with this proposal id exists. */
async function openAction(
  context: Context,
  submission: Submission,
  content: Content,
): Promise<Opening | null> {
  const tenantId = submission.principal.tenant_id
  let { now } = submission
  for (let tries = 0; tries < staleRulesRetries; tries += 1) {
    const rules = await context.rules(tenantId)
    if (!rules) throw new ServiceError('tenant_not_found', 'the tenant of this key does not exist')
    const holder = await holderFor(context, submission, rules)
    const { opening, opened } = await decideAndInsert(context, submission, { now, rules, holder, ...content })
    if (opened.outcome === 'made') return opening
    if (opened.outcome === 'exists') return null
    if (opened.outcome === 'key_ended') throw new ServiceError('invalid_key')
    if (opened.outcome === 'stale') await context.forgetRules(tenantId, rules.version)
    now = opened.now
  }
  throw new ServiceError(
    'concurrent_change',
    'the policy kept changing while the proposal was decided; submit it again',
  )
}

/** Lets a grant with a use left allow an action that would otherwise be held (specification.md#bounded-grants). */
async function decideAndInsert(
  context: Context,
  submission: Submission,
  grounds: Grounds,
): Promise<{ opening: Opening; opened: Opened }> {
  const evaluation = decideProposal(context, submission, grounds)
  const granted = await openUnderGrant(context, submission, { grounds, evaluation })
  if (granted) return granted
  const opening = sealOpening(context, submission, grounds, evaluation)
  await context.reach('submit_decided')
  return { opening, opened: await insertOpening(context, opening) }
}

/** Reserves room for an action that is to be held; allowed and denied actions need none. */
async function insertOpening(context: Context, opening: Opening): Promise<Opened> {
  if (opening.change.to !== 'pending_approval') return insertTogether(context, opening)
  const { tenant_id, proposal_id, rows } = opening
  const bytes = rows.reduce((sum, { payloadText }) => sum + Buffer.byteLength(payloadText), 0)
  const place = await context.heldRoom.take(tenant_id, bytes)
  if (!place) {
    const reader = context.store.readEach([tenant_id])
    if (!(await readActionByProposal(reader, tenant_id, proposal_id))) throw noRoom(context)
    // The action exists already; the insert reports that and also checks the key.
    return insertTogether(context, opening)
  }
  try {
    const opened = await insertTogether(context, opening)
    if (opened.outcome === 'made') place.keep()
    else place.giveBack()
    return opened
  } catch (error) {
    // The insert may have been committed although it failed here, so its room stays taken.
    place.keep()
    throw error
  }
}

function noRoom({ config }: Context): ServiceError {
  const message = `held proposals of a tenant have ${config.held_bytes_max} bytes at most in all`
  return new ServiceError('too_many_held', `${message}: decide or withdraw some that wait`)
}

/** Reads the proposer's holder only if the rules count approvals, since it may cost a query. */
async function holderFor(
  context: Context,
  { principal }: Submission,
  { compiled }: Rules,
): Promise<string | null> {
  if (compiled.approvalsRequired === 1 && compiled.route === null) return null
  return (await keyHolder(context, principal.key_id)) ?? unrecordedHolder
}

function openedVerdict(context: Context, opening: Opening): Verdict {
  return verdictView({
    action_id: opening.action_id,
    proposal_id: opening.proposal_id,
    status: opening.change.to,
    verdict: opening.verdict,
    audit_root: prefixedHex(opening.root),
    event_count: opening.leaves.length,
    result: null,
    outcome: outcomeOf(opening.change.to, { verdict: opening.verdict, events: [] }),
    comments: [],
    url: pollingUrl(context, opening.action_id),
    review_url: reviewUrl(context, opening),
  })
}

function existingVerdict(context: Context, action: StoredAction): Verdict {
  const { verdict, execution, events, comments } = readTrace(action.events)
  if (!verdict) throw contentErased(action.action_id)
  return verdictView({
    ...action,
    verdict,
    audit_root: prefixedHex(action.audit_root),
    result: action.status === 'executed' ? (execution?.result ?? null) : null,
    outcome: outcomeOf(action.status, { verdict, events }),
    comments,
    url: pollingUrl(context, action.action_id),
    review_url: reviewUrl(context, action),
  })
}

/**
 * Rejects a new proposal if no enabled endpoint of its tenant accepts its callback (integrate.md#callbacks). A
 * proposal that exists already passes, because its answer does not depend on later changes of the endpoints.
 */
async function checkCallback(
  context: Context,
  tenant_id: string,
  { proposal_id, callback }: Proposal,
): Promise<void> {
  if (!callback) return
  const webhooks = await context.store.look([tenant_id], query => listWebhooks(query, tenant_id))
  const takes = webhooks.some(
    ({ enabled, event_types, url }) => enabled && takesCallbacks(event_types) && callback.url.startsWith(url),
  )
  if (takes) return
  const reader = context.store.readEach([tenant_id])
  if (await readActionByProposal(reader, tenant_id, proposal_id)) return
  const message = 'begins with the URL of no enabled webhook of the tenant that takes `action.callback`'
  const issue = { path: 'callback.url', code: 'callback_not_allowed', message }
  throw new ServiceError('validation_failed', `callback.url: ${message}`, [issue])
}
