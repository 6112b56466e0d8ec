import { and, desc, eq, sql } from 'drizzle-orm'
import type { Query } from '../postgres/open.ts'
import { presentMs } from '../postgres/sql-text.ts'
import { webhookDeliveries } from '../schema/schema.ts'
import type { WebhookRef } from './webhook-rows.ts'

export type StoredDelivery = typeof webhookDeliveries.$inferSelect

/** Identifies a webhook's message by its log index and its reminder number (0 for the message itself). */
export type MessagePlace = Pick<StoredDelivery, 'log_index' | 'reminder'>

export async function listDeliveries(
  query: Query,
  ref: WebhookRef,
  page: { limit: number; before: MessagePlace | null },
): Promise<StoredDelivery[]> {
  const { log_index, reminder } = webhookDeliveries
  const older =
    page.before === null
      ? undefined
      : sql`(${log_index}, ${reminder}) < (${page.before.log_index}, ${page.before.reminder})`
  return query
    .select()
    .from(webhookDeliveries)
    .where(and(ofWebhook(ref), older))
    .orderBy(desc(log_index), desc(reminder))
    .limit(page.limit)
}

/**
 * Makes a message due now with all its attempts. The higher `claim` keeps a running attempt from being recorded.
 */
export async function renewDelivery(
  query: Query,
  ref: WebhookRef,
  { log_index, reminder }: MessagePlace,
): Promise<StoredDelivery | null> {
  const [row] = await query
    .update(webhookDeliveries)
    .set({
      state: 'pending',
      attempts: 0,
      claim: sql`${webhookDeliveries.claim} + 1`,
      next_attempt_at: sql.raw(presentMs),
    })
    .where(
      and(
        ofWebhook(ref),
        eq(webhookDeliveries.log_index, log_index),
        eq(webhookDeliveries.reminder, reminder),
      ),
    )
    .returning()
  return row ?? null
}

function ofWebhook({ tenant_id, webhook_id }: WebhookRef) {
  return and(eq(webhookDeliveries.webhook_id, webhook_id), eq(webhookDeliveries.tenant_id, tenant_id))
}
