import type { webhookEndpoints } from '../../shared/contract/endpoints/webhook-endpoints.ts'
import { listDeliveries, redeliver } from '../../shared/flow/webhook/webhook-deliveries.ts'
import {
  createWebhook,
  deleteWebhook,
  listWebhooks,
  readWebhook,
  replaceWebhook,
  rotateWebhook,
} from '../../shared/flow/webhook/webhooks.ts'
import type { Handlers } from './handler.ts'

export const webhookHandlers: Handlers<typeof webhookEndpoints, keyof typeof webhookEndpoints> = {
  async create_webhook(context, { params, body: request, principal: author }) {
    return { status: 201, body: await createWebhook(context, { ...params, request, author }) }
  },
  async list_webhooks(context, { params }) {
    return { status: 200, body: await listWebhooks(context, params.tenant_id) }
  },
  async read_webhook(context, { params }) {
    return { status: 200, body: { webhook: await readWebhook(context, params) } }
  },
  async replace_webhook(context, { params, body: request, principal: author }) {
    return { status: 200, body: { webhook: await replaceWebhook(context, params, { request, author }) } }
  },
  async delete_webhook(context, { params, principal }) {
    return { status: 200, body: { webhook: await deleteWebhook(context, params, principal) } }
  },
  async rotate_webhook(context, { params, body: request, principal: author }) {
    return { status: 200, body: await rotateWebhook(context, params, { request, author }) }
  },
  async list_deliveries(context, { params, query }) {
    const { limit, cursor } = query
    return { status: 200, body: await listDeliveries(context, params, { limit, cursor }) }
  },
  async redeliver(context, { params }) {
    return { status: 200, body: { delivery: await redeliver(context, params) } }
  },
}
