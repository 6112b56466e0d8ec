import { createEgressGuard, EgressRefused } from '../../actuator/egress/egress-guard.ts'
import { ServiceError } from '../../contract/base/errors.ts'
import type { JsonObject } from '../../contract/base/json.ts'
import { limits } from '../../contract/base/limits.ts'
import type { Author } from '../../contract/configuration/tenant.ts'
import {
  inTime,
  isChat,
  isHiddenUrl,
  takesCallbacks,
  type Webhook,
  type WebhookRequest,
  type WebhookRotation,
  type WebhookSecret,
} from '../../contract/webhook.ts'
import { newName } from '../../runtime/ids.ts'
import { hiddenUrl, sealUrl } from '../../runtime/secrets/sealed-value.ts'
import { webhookSecret } from '../../runtime/secrets/service-keys.ts'
import type { Query } from '../../store/postgres/open.ts'
import { tenantExists } from '../../store/tenant/tenant-rows.ts'
import {
  deleteWebhook as deleteStored,
  insertWebhook,
  listWebhooks as listStored,
  readWebhook as readStored,
  replaceWebhook as replaceStored,
  rotateWebhook as rotateStored,
  type StoredWebhook,
  type WebhookRef,
  type WebhookSettings,
} from '../../store/webhook/webhook-rows.ts'
import { type ConfigOutcome, changeConfig } from '../core/change-config.ts'
import { demandMail } from '../core/configured.ts'
import type { Context } from '../core/context.ts'

export interface WebhookChange<Request> {
  request: Request
  author: Author
}

/** Creates a webhook for future events; only this answer shows its secret. */
export async function createWebhook(
  context: Context,
  { tenant_id, request, author }: WebhookChange<WebhookRequest> & { tenant_id: string },
): Promise<WebhookSecret> {
  const wanted = checked(context, request)
  const key = webhookKeyOf(context)
  const stored = await changeConfig(context, tenant_id, author, async query => {
    const others = await listStored(query, tenant_id)
    if (others.length >= limits.webhooks_per_tenant_max)
      throw new ServiceError('too_many_webhooks', `it has ${others.length}: delete one first`)
    refuseOverlap(wanted, others)
    const ref = { tenant_id, webhook_id: newName('wh') }
    const { sealed_url, ...shown } = hideUrl(context, ref, wanted, null)
    const webhook = await insertWebhook(query, { ...shown, sealed_url, ...ref })
    return changed('created', webhook, { ...shown })
  })
  return withSecret(key, stored)
}

export async function listWebhooks(context: Context, tenantId: string): Promise<{ webhooks: Webhook[] }> {
  return context.store.look([tenantId], async query => {
    if (!(await tenantExists(query, tenantId)))
      throw new ServiceError('tenant_not_found', `no tenant ${tenantId}`)
    return { webhooks: (await listStored(query, tenantId)).map(webhookView) }
  })
}

export async function readWebhook(context: Context, ref: WebhookRef): Promise<Webhook> {
  return context.store.look([ref.tenant_id], async query => webhookView(await theWebhook(query, ref)))
}

export async function replaceWebhook(
  context: Context,
  ref: WebhookRef,
  { request, author }: WebhookChange<WebhookRequest>,
): Promise<Webhook> {
  const wanted = checked(context, request)
  const stored = await changeConfig(context, ref.tenant_id, author, async query => {
    const before = await theWebhook(query, ref)
    const all = await listStored(query, ref.tenant_id)
    refuseOverlap(
      wanted,
      all.filter(({ webhook_id }) => webhook_id !== ref.webhook_id),
    )
    const { sealed_url, ...shown } = hideUrl(context, ref, wanted, before)
    return changed('replaced', await replaceStored(query, ref, { ...shown, sealed_url }), { ...shown })
  })
  if (stored.enabled) context.doorbell.ring([{ id: newName('ring'), delayMs: 0, due: 'messages' }])
  return webhookView(stored)
}

/** Replaces the secret; for a while the old one signs too. */
export async function rotateWebhook(
  context: Context,
  ref: WebhookRef,
  { request, author }: WebhookChange<WebhookRotation>,
): Promise<WebhookSecret> {
  const key = webhookKeyOf(context)
  const stored = await changeConfig(context, ref.tenant_id, author, async query => {
    await theWebhook(query, ref)
    const rotated = await rotateStored(query, ref, request.overlap_ms)
    return changed('rotated', rotated, { generation: rotated.generation, ...request })
  })
  return withSecret(key, stored)
}

export async function deleteWebhook(context: Context, ref: WebhookRef, author: Author): Promise<Webhook> {
  const stored = await changeConfig(context, ref.tenant_id, author, async query => {
    const webhook = await theWebhook(query, ref)
    await deleteStored(query, ref)
    return changed('deleted', webhook, {})
  })
  return webhookView(stored)
}

function changed(
  change: 'created' | 'replaced' | 'rotated' | 'deleted',
  stored: StoredWebhook,
  what: JsonObject,
): ConfigOutcome<StoredWebhook> {
  const payload = { change, webhook_id: stored.webhook_id, ...what }
  return { answer: stored, entry: { kind: 'webhook_revision', payload } }
}

async function theWebhook(query: Query, ref: WebhookRef): Promise<StoredWebhook> {
  const stored = await readStored(query, ref)
  if (!stored)
    throw new ServiceError('webhook_not_found', `tenant ${ref.tenant_id} has no webhook ${ref.webhook_id}`)
  return stored
}

/** Normalizes a request and checks its URL; the host name is resolved only when a message is sent. */
function checked({ config }: Context, request: WebhookRequest): WebhookRequest {
  try {
    if (request.format === 'email') demandMail(config)
    if (isChat(request.format)) demandLinks(config)
    if (request.format !== 'email') createEgressGuard(config.egress_allow).check(new URL(request.url))
    return {
      ...request,
      event_types: [...new Set(request.event_types)],
      remind_after_ms: inTime(request.remind_after_ms),
    }
  } catch (error) {
    if (!(error instanceof EgressRefused)) throw error
    const { code, message } = error
    throw new ServiceError('validation_failed', `url: ${message}`, [{ path: 'url', code, message }])
  }
}

function demandLinks({ base_url }: Context['config']): void {
  if (base_url.startsWith('http')) return
  throw new ServiceError('links_not_configured', 'set an absolute SERVICE_BASE_URL')
}

/**
 * Seals the URL of a chat, because anyone who knows it can post there; rows, events and answers show a form with
 * its digest. A replacement may send that form, which keeps the URL.
 */
function hideUrl(
  context: Context,
  { webhook_id }: WebhookRef,
  wanted: WebhookRequest,
  before: StoredWebhook | null,
): WebhookSettings {
  const { format, url } = wanted
  if (!isChat(format)) return { ...wanted, sealed_url: null }
  if (!isHiddenUrl(url))
    return { ...wanted, url: hiddenUrl(url), sealed_url: sealUrl(webhookKeyOf(context), webhook_id, url) }
  if (before?.sealed_url && before.url === url) return { ...wanted, sealed_url: before.sealed_url }
  const message = 'is the form that is shown of a URL: send the URL itself'
  throw new ServiceError('validation_failed', `url: ${message}`, [
    { path: 'url', code: 'invalid_url', message },
  ])
}

/** Refuses overlapping endpoints for callbacks, so that each callback is one message. */
function refuseOverlap(wanted: WebhookRequest, others: readonly StoredWebhook[]): void {
  if (!takesCallbacks(wanted.event_types)) return
  const same = others.find(
    ({ event_types, url }) =>
      takesCallbacks(event_types) && (url.startsWith(wanted.url) || wanted.url.startsWith(url)),
  )
  if (!same) return
  const message = `${same.webhook_id} takes callbacks of this place already`
  throw new ServiceError('validation_failed', `url: ${message}`, [
    { path: 'url', code: 'url_overlaps', message },
  ])
}

export function webhookKeyOf({ webhookKey }: Context): Buffer {
  if (webhookKey) return webhookKey
  throw new ServiceError('webhooks_not_configured', 'set SERVICE_WEBHOOK_KEY for API and workers')
}

function withSecret(key: Buffer, stored: StoredWebhook): WebhookSecret {
  return { webhook: webhookView(stored), secret: webhookSecret(key, stored.webhook_id, stored.generation) }
}

function webhookView(stored: StoredWebhook): Webhook {
  const { webhook_id, tenant_id, url, format, event_types, remind_after_ms, enabled, description } = stored
  const { tells_values } = stored
  return {
    webhook_id,
    tenant_id,
    url,
    format,
    event_types,
    remind_after_ms,
    tells_values,
    enabled,
    description,
    disabled_reason: stored.disabled_reason,
    failing_since: stored.failing_since?.toISOString() ?? null,
    generation: stored.generation,
    previous_until: stored.previous_until?.toISOString() ?? null,
    created_at: stored.created_at.toISOString(),
  }
}
