import type { Posted } from '../../actuator/post-message.ts'
import { type PushTarget, postPush } from '../../actuator/post-push.ts'
import { sha256 } from '../../canon/digest.ts'
import type { HeldAction } from '../../contract/action/action.ts'
import { endpoints } from '../../contract/endpoints/endpoints.ts'
import { sameHolder } from '../../lifecycle/holder.ts'
import { wallTimeMs } from '../../runtime/clock.ts'
import { random32 } from '../../runtime/ids.ts'
import { openUrl } from '../../runtime/secrets/sealed-value.ts'
import { pushKeys } from '../../runtime/secrets/service-keys.ts'
import { tenantName } from '../../store/account/account-rows.ts'
import { countHeld, readHeld } from '../../store/action/held-rows.ts'
import type { DueDelivery } from '../../store/webhook/due-deliveries.ts'
import { endSubscription, type Subscriber, subscriberHasRole } from '../../store/webhook/push-rows.ts'
import { readHeldRoutes, viewerHolder } from '../action/held-routes.ts'
import { heldAction } from '../action/read-actions.ts'
import { reviewPath } from '../core/configured.ts'
import type { Context } from '../core/context.ts'
import { agentWords } from './agent-words.ts'
import { noticeOf, riskWords } from './notice.ts'
import { notSent, postBounds, type Sending } from './send-notice.ts'
import { deliveryId } from './webhook-deliveries.ts'

/** The data a browser shows (approvals.md#in-the-browser), without parameters or prose by the agent. */
export interface PushedNotice {
  title: string
  agent: string
  risk: string
  application: string
  waiting: number
  path: string
  /** A browser shows one message per tag, even if it arrives several times. */
  tag: string
}

export type DuePush = DueDelivery & Subscriber

/**
 * Sends a browser the notice about one waiting action. Returns null if there is no recipient: the action was
 * decided or erased, or the person may not decide it. A person who may decide nothing in the application loses the
 * subscription.
 */
export async function sendPush(context: Context, due: DuePush, sending: Sending): Promise<Posted | null> {
  const { webhookKey } = context
  if (!(await mayDecideHere(context, due))) {
    await endPush(context, due)
    return null
  }
  const target = webhookKey && targetOf(webhookKey, due)
  if (!webhookKey || !target) return notSent('the endpoint was sealed with another SERVICE_WEBHOOK_KEY')
  const held = await readForPerson(context, due)
  if (held === null) return null
  const message = {
    target,
    keys: pushKeys(webhookKey),
    subject: subjectOf(context),
    text: JSON.stringify(await noticeFor(context, due, held)),
    salt: random32().subarray(0, saltLength),
    ttl: Math.max(0, Math.ceil((Date.parse(held.expires_at) - wallTimeMs()) / 1_000)),
    topic: sha256(deliveryId(due)).toString('base64url').slice(0, topicLength),
  }
  const posted = await postPush(message, postBounds(context, sending))
  const { pathname, search } = new URL(target.endpoint)
  const error = posted.error?.replaceAll(`${pathname}${search}`, '/[redacted]') ?? null
  return { ...posted, error }
}

/** Ends a subscription whose person lost the right to decide, or that its push service no longer knows. */
export async function endPush({ store }: Context, due: DuePush): Promise<void> {
  await store.change([due.tenant_id], query => endSubscription(query, due, due.webhook_id))
}

/** True if the account has a deciding role in the tenant now, or the approver key is valid. */
async function mayDecideHere(context: Context, due: DuePush): Promise<boolean> {
  const { tenant_id, subscriber } = due
  if (isAccount(subscriber)) {
    const { roles } = endpoints.subscribe_owned_push
    return context.store.read([tenant_id], reader => subscriberHasRole(reader, due, roles))
  }
  const { key } = await context.findKey(subscriber)
  const isGood = key !== undefined && !key.revoked && !key.expired
  return isGood && key.scope === endpoints.subscribe_push.access && key.tenant_id === tenant_id
}

function isAccount(subscriber: string): boolean {
  return subscriber.startsWith('acc_')
}

const saltLength = 16
/** The length of the longest topic that push services accept. */
const topicLength = 32

function targetOf(webhookKey: Buffer, { webhook_id, sealed_url }: DueDelivery): PushTarget | null {
  const text = sealed_url && openUrl(webhookKey, webhook_id, sealed_url)
  return text ? (JSON.parse(text) as PushTarget) : null
}

async function readForPerson(
  context: Context,
  { tenant_id, action_id, subscriber }: DuePush,
): Promise<HeldAction | null> {
  const viewer = isAccount(subscriber) ? { account_id: subscriber } : { key_id: subscriber }
  const reader = context.store.readEach([tenant_id])
  const [holder, rows] = await Promise.all([viewerHolder(context, viewer), readHeld(reader, [action_id])])
  const routes = await readHeldRoutes(reader, rows, holder)
  const [held] = rows.flatMap(row => heldAction(row, context, { tenant_id, routes }))
  return held && isFor(held, holder) ? held : null
}

/** Excludes people outside the route and those who have approved already. */
function isFor({ route, approvals }: HeldAction, holder: string | null): boolean {
  const hasApproved =
    holder !== null && approvals?.by.some(given => sameHolder(given.holder, holder)) === true
  return (route?.names_you ?? true) && !hasApproved
}

async function noticeFor(
  context: Context,
  due: DuePush,
  { proposal, verdict, status, expires_at }: HeldAction,
): Promise<PushedNotice> {
  const { tenant_id } = due
  const reader = context.store.readEach([tenant_id])
  const [name, waiting] = await Promise.all([tenantName(reader, tenant_id), countHeld(reader, [tenant_id])])
  const path = reviewPath(due)
  const now = { told: status, now: status }
  const { title } = noticeOf({
    ...due,
    status: now,
    proposal,
    tellsValues: false,
    risk: verdict.effective_risk,
    expires_at,
    approvals: null,
    seen: null,
    url: path,
  })
  const agent = agentWords(proposal.actor.agent_id, agentMax)
  const risk = riskWords(verdict.effective_risk)
  return { title, agent, risk, application: name ?? tenant_id, waiting, path, tag: deliveryId(due) }
}

const agentMax = 100

/** Push services ask for a contact of the sender, and some accept only a public address. */
function subjectOf({ config: { base_url, mail_from } }: Context): string {
  if (base_url.startsWith('https:')) return new URL(base_url).origin
  return `mailto:${mail_from ?? 'action-gate@localhost'}`
}
