import type { Posted } from '../../actuator/post-message.ts'
import { type PushTarget, postPush } from '../../actuator/post-push.ts'
import { sha256 } from '../../canon/digest.ts'
import type { HeldAction } from '../../contract/action/action.ts'
import { wallTimeMs } from '../../runtime/clock.ts'
import { pushKeys } from '../../runtime/secrets/push-keys.ts'
import { openUrl } from '../../runtime/secrets/sealed-url.ts'
import { countHeld, readHeld } from '../../store/action/held-rows.ts'
import type { DueDelivery } from '../../store/webhook/due-deliveries.ts'
import { tenantName } from '../../store/webhook/push-rows.ts'
import { readHeldRoutes, viewerHolder } from '../action/held-routes.ts'
import { heldAction } from '../action/read-actions.ts'
import { reviewPath } from '../core/configured.ts'
import type { Context } from '../core/context.ts'
import { noticeOf } from './notice.ts'
import { notSent, postBounds, type Sending } from './send-notice.ts'
import { deliveryId } from './webhook-deliveries.ts'

/** What a browser shows (approvals.md#in-the-browser): nothing of the parameters, and nothing that the agent wrote as prose. */
export interface PushedNotice {
  title: string
  application: string
  /** How many wait in the application, up to a bound. */
  waiting: number
  /** Of the page where a person decides. */
  path: string
  /** A browser shows a message once, however often it comes. */
  tag: string
}

/**
 * Send a browser what waits for its person. Null where it is for nobody: it was decided or erased meanwhile, or its route does
 * not name the person. The claim looked at their right to decide.
 */
export async function sendPush(context: Context, due: DueDelivery, sending: Sending): Promise<Posted | null> {
  const { webhookKey } = context
  const target = webhookKey && targetOf(webhookKey, due)
  if (!webhookKey || !target) return notSent('the endpoint was sealed with another SERVICE_WEBHOOK_KEY')
  const held = await readForPerson(context, due)
  if (held === null) return null
  const message = {
    target,
    keys: pushKeys(webhookKey),
    subject: subjectOf(context),
    text: JSON.stringify(await noticeFor(context, due, held)),
    ttl: Math.max(0, Math.ceil((Date.parse(held.expires_at) - wallTimeMs()) / 1_000)),
    topic: sha256(deliveryId(due)).toString('base64url').slice(0, topicLength),
  }
  const posted = await postPush(message, postBounds(context, sending))
  const { pathname, search } = new URL(target.endpoint)
  const error = posted.error?.replaceAll(`${pathname}${search}`, '/[redacted]') ?? null
  return { ...posted, error }
}

/** Push services take no longer one. */
const topicLength = 32

function targetOf(webhookKey: Buffer, { webhook_id, sealed_url }: DueDelivery): PushTarget | null {
  const text = sealed_url && openUrl(webhookKey, webhook_id, sealed_url)
  return text ? (JSON.parse(text) as PushTarget) : null
}

async function readForPerson(
  context: Context,
  { tenant_id, action_id, subscriber }: DueDelivery,
): Promise<HeldAction | null> {
  if (subscriber === null) throw new Error('a browser has somebody who subscribed it')
  const viewer = subscriber.startsWith('acc_') ? { account_id: subscriber } : { key_id: subscriber }
  const reader = context.store.readEach([tenant_id])
  const [holder, rows] = await Promise.all([viewerHolder(context, viewer), readHeld(reader, [action_id])])
  const routes = await readHeldRoutes(reader, rows, holder)
  const [held] = rows.flatMap(row => heldAction(row, context, { tenant_id, routes }))
  return held && (held.route?.names_you ?? true) ? held : null
}

async function noticeFor(
  context: Context,
  due: DueDelivery,
  { proposal, status, expires_at }: HeldAction,
): Promise<PushedNotice> {
  const { tenant_id, action_id } = due
  const reader = context.store.readEach([tenant_id])
  const [name, waiting] = await Promise.all([tenantName(reader, tenant_id), countHeld(reader, [tenant_id])])
  const path = reviewPath(due)
  const now = { told: status, now: status }
  const told = { tenant_id, action_id, reminds: false, status: now, proposal, expires_at, url: path }
  return { title: noticeOf(told).title, application: name ?? tenant_id, waiting, path, tag: deliveryId(due) }
}

/** Push services want to know whom to ask about a sender; some take no other address than a public one. */
function subjectOf({ config: { base_url, mail_from } }: Context): string {
  if (base_url.startsWith('https:')) return new URL(base_url).origin
  return `mailto:${mail_from ?? 'action-gate@localhost'}`
}
