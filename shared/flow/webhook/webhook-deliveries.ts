import type { ActionStatus } from '../../contract/action/action-status.ts'
import { ServiceError } from '../../contract/base/errors.ts'
import { type TimeCursor, writeTimeCursor } from '../../contract/endpoints/paging.ts'
import type { WebhookDelivery } from '../../contract/webhook.ts'
import { newName } from '../../runtime/ids.ts'
import type { Query } from '../../store/postgres/open.ts'
import {
  listDeliveries as listStored,
  type MessagePlace,
  renewDelivery,
  type StoredDelivery,
} from '../../store/webhook/webhook-delivery-rows.ts'
import { readWebhook, type StoredWebhook, type WebhookRef } from '../../store/webhook/webhook-rows.ts'
import type { Context } from '../core/context.ts'
import { pageOf } from '../core/page.ts'

export async function listDeliveries(
  context: Context,
  ref: WebhookRef,
  { limit, cursor }: { limit: number; cursor: TimeCursor | undefined },
): Promise<{ deliveries: WebhookDelivery[]; next_cursor: string | null }> {
  const before = cursor ? placeOf(cursor[1], ref.webhook_id) : null
  if (cursor && before === null) {
    const issue = { path: 'cursor', code: 'invalid_cursor', message: 'is not a cursor of this list' }
    throw new ServiceError('validation_failed', `cursor: ${issue.message}`, [issue])
  }
  return context.store.look([ref.tenant_id], async query => {
    await theWebhook(query, ref)
    const { rows, last } = pageOf(await listStored(query, ref, { limit: limit + 1, before }), limit)
    return {
      deliveries: rows.map(deliveryView),
      next_cursor: last && writeTimeCursor([last.created_at.toISOString(), deliveryId(last)]),
    }
  })
}

/** Sends a message again at once, whatever its outcome, under the same id. */
export async function redeliver(
  context: Context,
  ref: WebhookRef & { delivery_id: string },
): Promise<WebhookDelivery> {
  const { delivery_id, ...webhookRef } = ref
  const renewed = await context.store.change([ref.tenant_id], async query => {
    const { enabled } = await theWebhook(query, webhookRef)
    const place = placeOf(delivery_id, ref.webhook_id)
    const stored = place === null ? null : await renewDelivery(query, webhookRef, place)
    if (!stored) throw new ServiceError('delivery_not_found', `webhook has no delivery ${delivery_id}`)
    if (!enabled) throw new ServiceError('webhook_disabled', 'enable it first')
    return stored
  })
  context.doorbell.ring([{ id: newName('ring'), delayMs: 0, due: 'messages' }])
  return deliveryView(renewed)
}

async function theWebhook(query: Query, ref: WebhookRef): Promise<StoredWebhook> {
  const stored = await readWebhook(query, ref)
  if (!stored)
    throw new ServiceError('webhook_not_found', `tenant ${ref.tenant_id} has no webhook ${ref.webhook_id}`)
  return stored
}

function deliveryView(stored: StoredDelivery): WebhookDelivery {
  const { webhook_id, type, action_id, state, attempts, last_status, last_error } = stored
  return {
    delivery_id: deliveryId(stored),
    webhook_id,
    type,
    action_id,
    status: stored.status as ActionStatus,
    state,
    attempts,
    last_attempt_at: stored.last_attempt_at?.toISOString() ?? null,
    last_status,
    last_error,
    next_attempt_at: state === 'pending' ? stored.next_attempt_at.toISOString() : null,
    created_at: stored.created_at.toISOString(),
  }
}

/** Derives the message's id, which is the `webhook-id` of every attempt. */
export function deliveryId({
  webhook_id,
  log_index,
  reminder,
}: MessagePlace & { webhook_id: string }): string {
  return `msg_${webhook_id.slice('wh_'.length)}_${log_index}${reminder === 0 ? '' : `r${reminder}`}`
}

/** Parses the id into log entry and reminder number; null if it belongs to another webhook. */
export function placeOf(id: string, webhookId: string): MessagePlace | null {
  const [, webhook, index, reminder = '0'] = /^msg_([a-z2-7]{16})_(\d+)(?:r([1-9]))?$/.exec(id) ?? []
  return webhookId === `wh_${webhook}` ? { log_index: Number(index), reminder: Number(reminder) } : null
}
