import { and, eq, ne, not } from 'drizzle-orm'
import type { Query, Reader, Writer } from '../postgres/open.ts'
import { webhooks } from '../schema/schema.ts'
import { logSize } from './webhook-rows.ts'

/** A browser of somebody who decides, among the endpoints of a tenant. */
export type StoredSubscription = typeof webhooks.$inferSelect

/** Whose it is: the account, or the key. */
export interface Subscriber {
  tenant_id: string
  subscriber: string
}

/** Oldest first. */
export async function listSubscriptions(query: Query, whose: Subscriber): Promise<StoredSubscription[]> {
  return query.select().from(webhooks).where(isOf(whose)).orderBy(webhooks.created_at, webhooks.webhook_id)
}

/** A new one is told of what the tenant's log takes up from now on. */
export async function insertSubscription(
  query: Query,
  subscription: Subscriber & { webhook_id: string; url: string; sealed_url: Buffer },
): Promise<StoredSubscription> {
  const [row] = await query
    .insert(webhooks)
    .values({
      ...subscription,
      format: 'push',
      event_types: ['action.pending_approval'],
      enabled: true,
      position: logSize(subscription.tenant_id),
    })
    .returning()
  if (!row) throw new Error('the subscription was not stored')
  return row
}

/** Sealed again, as under another key of webhooks; what waits for it stays. */
export async function resealSubscription(
  query: Query,
  whose: Subscriber,
  { webhook_id, sealed_url }: Pick<StoredSubscription, 'webhook_id'> & { sealed_url: Buffer },
): Promise<StoredSubscription> {
  const own = and(isOf(whose), eq(webhooks.webhook_id, webhook_id))
  const [row] = await query.update(webhooks).set({ sealed_url }).where(own).returning()
  if (!row) throw new Error('the subscription is gone')
  return row
}

/** A browser is one person's in a tenant: those of others with this endpoint end. */
export async function endOfOthers(
  query: Query,
  { tenant_id, subscriber, url }: Subscriber & { url: string },
): Promise<void> {
  const { format, deleted } = webhooks
  await query
    .update(webhooks)
    .set({ deleted: true })
    .where(
      and(
        eq(webhooks.tenant_id, tenant_id),
        eq(format, 'push'),
        eq(webhooks.url, url),
        ne(webhooks.subscriber, subscriber),
        not(deleted),
      ),
    )
}

/** What it was; null where the subscriber has no such one. A sweep removes it. */
export async function endSubscription(
  query: Query,
  whose: Subscriber,
  webhookId: string,
): Promise<StoredSubscription | null> {
  const [row] = await query
    .update(webhooks)
    .set({ deleted: true })
    .where(and(isOf(whose), eq(webhooks.webhook_id, webhookId)))
    .returning()
  return row ?? null
}

function isOf({ tenant_id, subscriber }: Subscriber) {
  return and(eq(webhooks.tenant_id, tenant_id), eq(webhooks.subscriber, subscriber), not(webhooks.deleted))
}

/** A message that is for nobody: it goes, unless it was taken again since. */
export async function dropDelivery(
  writer: Writer,
  { webhook_id, log_index, reminder, claim }: Dropped,
): Promise<void> {
  const text = `
    delete from webhook_deliveries
    where webhook_id = $1 and log_index = $2::int8 and reminder = $3::int4 and claim = $4::int4`
  await writer.query('drop_delivery', text, [webhook_id, log_index, reminder, claim])
}

interface Dropped {
  webhook_id: string
  log_index: number
  reminder: number
  claim: number
}

/** What its owner calls a tenant; null where nobody signed up for it. */
export async function tenantName(reader: Reader, tenantId: string): Promise<string | null> {
  const text = 'select name from tenant_owners where tenant_id = $1'
  const [row] = await reader.query<{ name: string }>('tenant_name', text, [tenantId])
  return row?.name ?? null
}
