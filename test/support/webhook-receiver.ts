import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { expect } from 'vitest'
import type { Webhook, WebhookDelivery, WebhookMessage } from '../../shared/contract/webhook.ts'
import { type Downstream, type Seen, startDownstream } from './http-downstream.ts'
import type { TestService } from './service.ts'
import { plainPolicy, type TenantTraits } from './tenant.ts'

export interface ReceivedMessage {
  id: string
  headers: IncomingHttpHeaders
  raw: string
  body: WebhookMessage
}

/** An endpoint of a tenant on 127.0.0.1 that keeps what it is sent. */
export interface TestReceiver extends Downstream {
  messages(): ReceivedMessage[]
  /** Waits until there are so many. */
  received(count: number): Promise<ReceivedMessage[]>
}

/** Settings with which a service sends to 127.0.0.1, and tries again at once. */
export const webhookEnvironment = {
  SERVICE_WEBHOOK_KEY: Buffer.alloc(32, 7).toString('base64'),
  SERVICE_EGRESS_ALLOW: '127.0.0.1',
  SERVICE_WEBHOOK_RETRY_MS: '10,10,10',
}

export const everyType = ['action.pending_approval', 'action.settled', 'action.outcome_unknown']

/** A tenant whose actions come to every end. */
export const everyEnd: TenantTraits = {
  policy: { ...plainPolicy, allowed_systems: ['crm', 'broken', 'lost'] },
  actuators: [
    { name: 'crm', kind: 'mock', settings: {} },
    { name: 'broken', kind: 'mock', settings: { outcome: 'failed' } },
    { name: 'lost', kind: 'mock', settings: { outcome: 'unknown', idempotency: 'none' } },
  ],
}

/** Answers 204 unless told otherwise. */
export async function startReceiver(
  answer: (response: ServerResponse, seen: Seen) => void = response => response.writeHead(204).end(),
): Promise<TestReceiver> {
  const downstream = await startDownstream((seen, response) => answer(response, seen))
  const messages = () => downstream.seen.map(message)
  return {
    ...downstream,
    messages,
    async received(count) {
      await expect
        .poll(() => downstream.seen.length, { timeout: 20_000, interval: 5 })
        .toBeGreaterThanOrEqual(count)
      return messages()
    },
  }
}

function message({ headers, body: raw }: Seen): ReceivedMessage {
  return { id: String(headers['webhook-id']), headers, raw, body: JSON.parse(raw) as WebhookMessage }
}

/** A webhook as the admin makes it, with what a test asks of it. */
export async function makeWebhook(
  { call, admin }: Pick<TestService, 'call' | 'admin'>,
  tenantId: string,
  json: object,
) {
  const path = `/v1/tenants/${tenantId}/webhooks`
  const { status, body } = await call<{ webhook: Webhook; secret: string }>('POST', path, { admin, json })
  if (status !== 201) throw new Error(`creating the webhook answered ${status} ${JSON.stringify(body)}`)
  const own = `${path}/${body.webhook.webhook_id}`
  const deliveries = async () =>
    (await call<{ deliveries: WebhookDelivery[] }>('GET', `${own}/deliveries`, { admin })).body.deliveries
  return {
    ...body,
    path: own,
    read: async () => (await call<{ webhook: Webhook }>('GET', own, { admin })).body.webhook,
    deliveries,
    /** Waits until every delivery has come to this. */
    async all(state: WebhookDelivery['state'], count: number): Promise<WebhookDelivery[]> {
      const states = async () => (await deliveries()).map(delivery => delivery.state)
      await expect.poll(states, { timeout: 20_000, interval: 10 }).toEqual(new Array(count).fill(state))
      return deliveries()
    },
  }
}
