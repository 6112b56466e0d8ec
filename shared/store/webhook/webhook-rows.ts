import { and, eq, ne, not, sql } from 'drizzle-orm'
import type { DisabledReason, MessageFormat, WebhookRequest } from '../../contract/webhook.ts'
import type { Query } from '../postgres/open.ts'
import { tenantLogs, webhooks } from '../schema/schema.ts'

/** A webhook. Browser subscriptions are in the same table, but are no webhooks. */
export type StoredWebhook = Row & { format: MessageFormat }
type Row = typeof webhooks.$inferSelect

export interface WebhookRef {
  tenant_id: string
  webhook_id: string
}

export type WebhookSettings = WebhookRequest & Pick<StoredWebhook, 'sealed_url'>

/** Starts at the end of the tenant's log, so that a new webhook gets no older message. */
export async function insertWebhook(
  query: Query,
  webhook: WebhookRef & WebhookSettings,
): Promise<StoredWebhook> {
  const position = logSize(webhook.tenant_id)
  return only(
    await query
      .insert(webhooks)
      .values({ ...webhook, position })
      .returning(),
  )
}

export async function listWebhooks(query: Query, tenantId: string): Promise<StoredWebhook[]> {
  const rows = await query
    .select()
    .from(webhooks)
    .where(and(eq(webhooks.tenant_id, tenantId), ne(webhooks.format, 'push'), not(webhooks.deleted)))
    .orderBy(webhooks.created_at, webhooks.webhook_id)
  return rows.filter(isWebhook)
}

export async function readWebhook(query: Query, ref: WebhookRef): Promise<StoredWebhook | null> {
  const [row] = await query.select().from(webhooks).where(isThere(ref))
  return row && isWebhook(row) ? row : null
}

/** Replaces settings. A disabled webhook restarts at the end of the log, so that it gets no older message. */
export async function replaceWebhook(
  query: Query,
  ref: WebhookRef,
  settings: WebhookSettings,
): Promise<StoredWebhook> {
  const position = sql`case when ${webhooks.enabled} then ${webhooks.position} else ${logSize(ref.tenant_id)} end`
  const replaced = { ...settings, position, disabled_reason: null, failing_since: null }
  return only(await query.update(webhooks).set(replaced).where(isThere(ref)).returning())
}

/** Starts a new secret generation. The previous secret signs as well for `overlapMs` milliseconds. */
export async function rotateWebhook(
  query: Query,
  ref: WebhookRef,
  overlapMs: number,
): Promise<StoredWebhook> {
  const rotated = {
    generation: sql`${webhooks.generation} + 1`,
    previous_until: sql`clock_timestamp() + ${overlapMs}::int8 * interval '1 millisecond'`,
  }
  return only(await query.update(webhooks).set(rotated).where(isThere(ref)).returning())
}

/** Marks a webhook as deleted, which hides it at once. The sweep removes it with its deliveries. */
export async function deleteWebhook(query: Query, ref: WebhookRef): Promise<void> {
  await query.update(webhooks).set({ deleted: true }).where(isThere(ref))
}

/** Disables a webhook; false if it is already disabled or deleted, or if its URL has changed. */
export async function disableWebhook(
  query: Query,
  called: WebhookRef & { url: string },
  reason: DisabledReason,
): Promise<boolean> {
  const disabled = await query
    .update(webhooks)
    .set({ enabled: false, disabled_reason: reason })
    .where(and(isThere(called), eq(webhooks.url, called.url), webhooks.enabled))
    .returning({ webhook_id: webhooks.webhook_id })
  return disabled.length > 0
}

function isThere({ tenant_id, webhook_id }: WebhookRef) {
  return and(
    eq(webhooks.webhook_id, webhook_id),
    eq(webhooks.tenant_id, tenant_id),
    ne(webhooks.format, 'push'),
    not(webhooks.deleted),
  )
}

function isWebhook(row: Row): row is StoredWebhook {
  return row.format !== 'push'
}

export function logSize(tenantId: string) {
  return sql<number>`coalesce((select ${tenantLogs.size} from ${tenantLogs} where ${tenantLogs.tenant_id} = ${tenantId}), 0)`
}

function only([row]: readonly Row[]): StoredWebhook {
  if (!row || !isWebhook(row)) throw new Error('the webhook was not stored')
  return row
}
