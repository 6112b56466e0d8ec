import { and, eq, ne, not } from 'drizzle-orm'
import type { MemberRole } from '../../contract/role-schema.ts'
import type { MessageType } from '../../contract/webhook.ts'
import { hasRole } from '../account/session-rows.ts'
import type { Query, Reader } from '../postgres/open.ts'
import { arrayLiteral } from '../postgres/sql-text.ts'
import { webhooks } from '../schema/schema.ts'
import { logSize } from './webhook-rows.ts'

export type StoredSubscription = typeof webhooks.$inferSelect

/** The account or the key to which a browser belongs. */
export interface Subscriber {
  tenant_id: string
  subscriber: string
}

/** Settings of a browser. It only gets messages about actions that its person may have to decide. */
interface SubscriptionSettings {
  webhook_id: string
  sealed_url: Buffer
  remind_after_ms: number[]
}

function eventTypes({ remind_after_ms }: Pick<SubscriptionSettings, 'remind_after_ms'>): MessageType[] {
  const always = ['action.pending_approval', 'action.escalated'] as const
  return remind_after_ms.length > 0 ? [...always, 'action.reminder'] : [...always]
}

export async function listSubscriptions(query: Query, whose: Subscriber): Promise<StoredSubscription[]> {
  return query.select().from(webhooks).where(isOf(whose)).orderBy(webhooks.created_at, webhooks.webhook_id)
}

/** Starts at the end of the tenant's log, so that a new subscription gets no older message. */
export async function insertSubscription(
  query: Query,
  subscription: Subscriber & SubscriptionSettings & { url: string },
): Promise<StoredSubscription> {
  const [row] = await query
    .insert(webhooks)
    .values({
      ...subscription,
      format: 'push',
      event_types: eventTypes(subscription),
      enabled: true,
      position: logSize(subscription.tenant_id),
    })
    .returning()
  if (!row) throw new Error('the subscription was not stored')
  return row
}

/** Replaces the sealed URL and the reminders of a browser. Messages that wait for it are kept. */
export async function replaceSubscription(
  query: Query,
  whose: Subscriber,
  { webhook_id, ...settings }: SubscriptionSettings,
): Promise<StoredSubscription> {
  const own = and(isOf(whose), eq(webhooks.webhook_id, webhook_id))
  const set = { ...settings, event_types: eventTypes(settings) }
  const [row] = await query.update(webhooks).set(set).where(own).returning()
  if (!row) throw new Error('the subscription is gone')
  return row
}

/** Ends other people's subscriptions of this browser, because a browser belongs to one person in a tenant. */
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

/** Marks a subscription as deleted for the sweep; null if the subscriber has no such subscription. */
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

export async function subscriberHasRole(
  reader: Reader,
  { tenant_id, subscriber }: Subscriber,
  roles: readonly MemberRole[],
): Promise<boolean> {
  const text = `select ${hasRole('$1', '$2', '$3')} as has`
  const [row] = await reader.query<{ has: boolean }>('subscriber_has_role', text, [
    subscriber,
    tenant_id,
    arrayLiteral(roles),
  ])
  return row?.has ?? false
}
