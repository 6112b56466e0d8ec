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

/** What a browser shows (approvals.md#in-the-browser): nothing of the parameters, and nothing that the agent wrote as prose. */
export interface PushedNotice {
  title: string
  /** Who asks, by the name of the agent. */
  agent: string
  /** The risk that the gate decided with, and what raised it. */
  risk: string
  application: string
  /** How many wait in the application, up to a bound. */
  waiting: number
  /** Of the page where a person decides. */
  path: string
  /** A browser shows a message once, however often it comes. */
  tag: string
}

/** A message to the browser of a person. */
export type DuePush = DueDelivery & Subscriber

/**
 * Send a browser what waits for its person. Null where it is for nobody: it was decided or erased meanwhile, or the person may
 * not decide about it. Who may decide nothing in the application any more loses the subscription.
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

/** Nothing more is sent to a browser: who subscribed it decides no more, or its push service knows it no more. */
export async function endPush({ store }: Context, due: DuePush): Promise<void> {
  await store.change([due.tenant_id], query => endSubscription(query, due, due.webhook_id))
}

/** Whether the account has a role that decides in the tenant now, or the key of an approver is good. */
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
/** Push services take no longer one. */
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

/** Not for who is outside its route, nor for who has approved it already. */
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

/** Characters of the name of an agent. */
const agentMax = 100

/** Push services want to know whom to ask about a sender; some take no other address than a public one. */
function subjectOf({ config: { base_url, mail_from } }: Context): string {
  if (base_url.startsWith('https:')) return new URL(base_url).origin
  return `mailto:${mail_from ?? 'action-gate@localhost'}`
}
