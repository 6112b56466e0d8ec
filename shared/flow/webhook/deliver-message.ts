import { createEgressGuard, type EgressGuard } from '../../actuator/egress/egress-guard.ts'
import { type Posted, postMessage } from '../../actuator/post-message.ts'
import { type DisabledReason, isChat, type WebhookMessage } from '../../contract/webhook.ts'
import { jitter } from '../../runtime/ids.ts'
import { webhookSecret } from '../../runtime/secrets/service-keys.ts'
import {
  type ClaimedDeliveries,
  claimDeliveries as claimStored,
  type DeliveryRecord,
  type DueDelivery,
  dropDelivery,
  recordAttempt,
} from '../../store/webhook/due-deliveries.ts'
import { disableWebhook } from '../../store/webhook/webhook-rows.ts'
import { changeConfig } from '../core/change-config.ts'
import { pollingUrl, reviewUrl } from '../core/configured.ts'
import type { Context } from '../core/context.ts'
import { nextAttemptMs } from '../core/next-attempt.ts'
import { notSent, postBounds, type Sending, sendNotice } from './send-notice.ts'
import { type DuePush, endPush, sendPush } from './send-push.ts'
import { deliveryId } from './webhook-deliveries.ts'

/** The room for claims; `each` limits the concurrent calls to one endpoint. */
export interface Room {
  limit: number
  after: string
  each: number
  busy: ReadonlyMap<string, number>
}

/**
 * Milliseconds to record an attempt; with the longest attempt they make up the lease after which a lost attempt is
 * repeated.
 */
const recordMsMax = 5_000
/** Longer delays are left to the sweep, since a wake-up would wait for hours. */
const ringMsMax = 60_000

/** Claims due messages; takes none without the key that signs them. */
export async function claimDeliveries(context: Context, room: Room): Promise<ClaimedDeliveries> {
  if (context.webhookKey === null) return { messages: [], dropped: 0, after: '' }
  const lease_ms = context.config.webhook_ms_max + recordMsMax
  const claimed = await context.store.write('all', writer => claimStored(writer, { ...room, lease_ms }))
  if (claimed.messages.length > 0) await context.reach('message_claimed')
  return claimed
}

export type Deliver = (due: DueDelivery, ending: AbortSignal) => Promise<void>

export function createDeliver(
  context: Context,
  guard: EgressGuard = createEgressGuard(context.config.egress_allow),
): Deliver {
  return async (due, ending) => {
    const sending = { guard, signal: ending }
    const posted = await send(context, due, sending)
    await context.reach('message_answered')
    if (posted === null) await context.store.write([due.tenant_id], writer => dropDelivery(writer, due))
    else await record(context, due, posted)
  }
}

/** Returns null if the message has no recipient left. */
function send(context: Context, due: DueDelivery, sending: Sending): Promise<Posted | null> {
  if (isToBrowser(due)) return sendPush(context, due, sending)
  return due.format === 'signed' ? post(context, due, sending) : sendNotice(context, due, sending)
}

function isToBrowser(due: DueDelivery): due is DuePush {
  return due.subscriber !== null
}

function post(context: Context, due: DueDelivery, sending: Sending): Promise<Posted> {
  const { webhookKey } = context
  if (webhookKey === null) throw new Error('there is no key that signs messages')
  const { webhook_id, generation, overlaps } = due
  const url = calledUrl(due)
  if (url === null)
    return Promise.resolve(notSent('the proposal was erased, or the endpoint no longer takes its callback'))
  const generations = overlaps ? [generation, generation - 1] : [generation]
  const message = {
    id: deliveryId(due),
    url,
    body: JSON.stringify(messageOf(context, due)),
    secrets: generations.map(each => webhookSecret(webhookKey, webhook_id, each)),
  }
  return postMessage(message, postBounds(context, sending))
}

/** Returns a callback's URL from its proposal, while that exists and the endpoint accepts it. */
function calledUrl({ type, url, callback }: DueDelivery): URL | null {
  if (type !== 'action.callback') return new URL(url)
  return callback?.url.startsWith(url) ? new URL(callback.url) : null
}

function messageOf(context: Context, due: DueDelivery): WebhookMessage {
  const { type, occurred_at: timestamp, tenant_id, action_id, status, callback } = due
  const waits = status === 'pending_approval'
  return {
    type,
    timestamp,
    data: {
      tenant_id,
      action_id,
      status,
      polling_url: pollingUrl(context, action_id),
      ...(waits ? { review_url: reviewUrl(context, due) } : {}),
      ...(callback?.data === undefined ? {} : { data: callback.data }),
    },
  }
}

async function record(context: Context, due: DueDelivery, posted: Posted): Promise<void> {
  const judged = judge(context, due, posted)
  const recorded = await context.store.write([due.tenant_id], writer => recordAttempt(writer, due, judged))
  const moved = recorded?.moved ?? false
  const outcome = moved && judged.outcome === 'failed' ? 'retry' : judged.outcome
  // A rejected callback does not disable the endpoint, because others may still be accepted.
  const isGone = saysGone(due, posted.status) && !moved && due.callback === null
  const { tenant_id, webhook_id, attempts, waited_ms } = due
  const message = { tenant_id, webhook_id, waitedMs: attempts === 1 ? waited_ms : null }
  context.events.messageSent(message, isGone ? 'gone' : outcome, posted.status)
  if (recorded === null) return
  if (isGone) return disable(context, due, 'gone')
  if (recorded.failing_ms > context.config.webhook_failing_ms_max) return disable(context, due, 'failing')
  if (outcome === 'retry') ringAgain(context, due, judged.retry_ms ?? 0)
}

function ringAgain({ doorbell }: Context, due: DueDelivery, retryMs: number): void {
  if (retryMs > ringMsMax) return
  doorbell.ring([{ id: `${deliveryId(due)}-${due.claim}`, delayMs: Math.max(1, retryMs), due: 'messages' }])
}

function judge({ config }: Context, due: DueDelivery, posted: Posted): DeliveryRecord {
  const { status, error, retry_after_ms } = posted
  if (status !== null && status >= 200 && status < 300)
    return { outcome: 'delivered', retry_ms: null, status, error }
  const failed = { attempts: due.attempts, jitter: jitter(), retry_after_ms }
  const retry_ms = isFinal(due, status) ? null : nextAttemptMs(config.webhook_retry_ms, failed)
  return { outcome: retry_ms === null ? 'failed' : 'retry', retry_ms, status, error }
}

/** True if the endpoint is gone: besides 410, chats and push services answer 404 for a removed one. */
function saysGone({ format }: DueDelivery, status: number | null): boolean {
  return status === 410 || (status === 404 && isForPeople(format))
}

function isForPeople(format: DueDelivery['format']): boolean {
  return isChat(format) || format === 'push'
}

/** Statuses below 500 that justify a retry: timeout, too early and too many requests. */
const passing: ReadonlySet<number> = new Set([408, 425, 429])

/**
 * True if a retry would fail again: SMTP codes from 500 on, and for chats and push services the sender's faults
 * (4xx).
 */
function isFinal(due: DueDelivery, status: number | null): boolean {
  if (status === null) return false
  if (due.format === 'email') return status >= 500
  if (isForPeople(due.format)) return status >= 400 && status < 500 && !passing.has(status)
  return saysGone(due, status)
}

/**
 * Disables an endpoint that is gone or failed for days, with an event in the configuration stream. A browser's
 * subscription ends without one, since it is not configuration.
 */
async function disable(context: Context, due: DueDelivery, reason: DisabledReason): Promise<void> {
  if (isToBrowser(due)) return endPush(context, due)
  const { tenant_id, webhook_id, url } = due
  const ref = { tenant_id, webhook_id }
  const disabled = await changeConfig(context, tenant_id, { source: 'webhooks' }, async query => {
    if (!(await disableWebhook(query, { ...ref, url }, reason))) return { answer: false }
    const payload = { change: 'disabled', webhook_id, reason }
    return { answer: true, entry: { kind: 'webhook_revision', payload } }
  })
  if (disabled) context.events.webhookDisabled(ref, reason)
}
