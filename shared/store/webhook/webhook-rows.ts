import { and, eq, ne, not, sql } from 'drizzle-orm'
import type { DisabledReason, MessageFormat, WebhookRequest } from '../../contract/webhook.ts'
import type { Query } from '../postgres/open.ts'
import { tenantLogs, webhooks } from '../schema/schema.ts'

/** A webhook as it is set: browsers that people subscribed are rows beside it, and are none. */
export type StoredWebhook = Row & { format: MessageFormat }
type Row = typeof webhooks.$inferSelect

/** Of one webhook of a tenant, unless it is deleted. */
export interface WebhookRef {
  tenant_id: string
  webhook_id: string
}

/** What a webhook is set to, with the secret of its URL where the URL is one. */
export type WebhookSettings = WebhookRequest & Pick<StoredWebhook, 'sealed_url'>

/** A new webhook is told of what the tenant's log takes up from now on. */
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

/** Webhooks of a tenant, oldest first. */
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

/** One that was disabled and is enabled goes on where the log is now. */
export async function replaceWebhook(
  query: Query,
  ref: WebhookRef,
  settings: WebhookSettings,
): Promise<StoredWebhook> {
  const position = sql`case when ${webhooks.enabled} then ${webhooks.position} else ${logSize(ref.tenant_id)} end`
  const replaced = { ...settings, position, disabled_reason: null, failing_since: null }
  return only(await query.update(webhooks).set(replaced).where(isThere(ref)).returning())
}

/** A new secret; the one before is good for so long still. */
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

/** It is told of nothing more, and gone for everybody; a sweep removes it. */
export async function deleteWebhook(query: Query, ref: WebhookRef): Promise<void> {
  await query.update(webhooks).set({ deleted: true }).where(isThere(ref))
}

/** False where it is disabled or gone already, or has another URL now. */
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

/** How far the log of a tenant goes: an endpoint that begins there is told of nothing before. */
export function logSize(tenantId: string) {
  return sql<number>`coalesce((select ${tenantLogs.size} from ${tenantLogs} where ${tenantLogs.tenant_id} = ${tenantId}), 0)`
}

function only([row]: readonly Row[]): StoredWebhook {
  if (!row || !isWebhook(row)) throw new Error('the webhook was not stored')
  return row
}
