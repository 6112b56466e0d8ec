import { and, desc, eq, lt, sql } from 'drizzle-orm'
import type { Query } from '../postgres/open.ts'
import { webhookDeliveries } from '../schema/schema.ts'
import type { WebhookRef } from './webhook-rows.ts'

export type StoredDelivery = typeof webhookDeliveries.$inferSelect

/** Deliveries of a webhook, newest first, from before an entry of the log where one is given. */
export async function listDeliveries(
  query: Query,
  ref: WebhookRef,
  page: { limit: number; before: number | null },
): Promise<StoredDelivery[]> {
  const older = page.before === null ? undefined : lt(webhookDeliveries.log_index, page.before)
  return query
    .select()
    .from(webhookDeliveries)
    .where(and(ofWebhook(ref), older))
    .orderBy(desc(webhookDeliveries.log_index))
    .limit(page.limit)
}

/** Due now, with all its attempts; what is under way is not recorded any more. Null where there is none. */
export async function renewDelivery(
  query: Query,
  ref: WebhookRef,
  logIndex: number,
): Promise<StoredDelivery | null> {
  const [row] = await query
    .update(webhookDeliveries)
    .set({
      state: 'pending',
      attempts: 0,
      claim: sql`${webhookDeliveries.claim} + 1`,
      next_attempt_at: sql`clock_timestamp()`,
    })
    .where(and(ofWebhook(ref), eq(webhookDeliveries.log_index, logIndex)))
    .returning()
  return row ?? null
}

function ofWebhook({ tenant_id, webhook_id }: WebhookRef) {
  return and(eq(webhookDeliveries.webhook_id, webhook_id), eq(webhookDeliveries.tenant_id, tenant_id))
}
