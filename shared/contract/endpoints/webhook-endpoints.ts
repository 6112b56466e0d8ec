import { z } from 'zod'
import { tenantIdSchema } from '../base/identifier.ts'
import {
  deliveryIdSchema,
  webhookDeliverySchema,
  webhookIdSchema,
  webhookRequestSchema,
  webhookRotationSchema,
  webhookSchema,
  webhookSecretSchema,
} from '../webhook.ts'
import type { Endpoint } from './endpoint.ts'
import { listLimitSchema, nextCursorSchema, timeCursorSchema } from './paging.ts'

const tenantParams = z.strictObject({ tenant_id: tenantIdSchema })
const webhookParams = z.strictObject({ tenant_id: tenantIdSchema, webhook_id: webhookIdSchema })
const deliveryParams = webhookParams.extend({ delivery_id: deliveryIdSchema })
const oneWebhook = z.strictObject({ webhook: webhookSchema })

export const webhookEndpoints = {
  create_webhook: {
    method: 'POST',
    path: '/v1/tenants/{tenant_id}/webhooks',
    access: 'admin',
    summary: 'Let an endpoint be told of actions, from now on; its secret is shown once.',
    description: 'Messages are signed after the Standard Webhooks specification and sent at least once.',
    params: tenantParams,
    body: webhookRequestSchema,
    answers: { 201: { description: 'Created.', body: webhookSecretSchema } },
    errors: [
      'tenant_not_found',
      'too_many_webhooks',
      'webhooks_not_configured',
      'mail_not_configured',
      'links_not_configured',
    ],
  },
  list_webhooks: {
    method: 'GET',
    path: '/v1/tenants/{tenant_id}/webhooks',
    access: 'admin',
    summary: 'Webhooks of a tenant.',
    params: tenantParams,
    answers: {
      200: { description: 'All, oldest first.', body: z.strictObject({ webhooks: z.array(webhookSchema) }) },
    },
    errors: ['tenant_not_found'],
  },
  read_webhook: {
    method: 'GET',
    path: '/v1/tenants/{tenant_id}/webhooks/{webhook_id}',
    access: 'admin',
    summary: 'A webhook, and why it is disabled where the service did that.',
    params: webhookParams,
    answers: { 200: { description: 'The webhook.', body: oneWebhook } },
    errors: ['webhook_not_found'],
  },
  replace_webhook: {
    method: 'PUT',
    path: '/v1/tenants/{tenant_id}/webhooks/{webhook_id}',
    access: 'admin',
    summary: 'Replace what a webhook is set to; its secret stays.',
    description: 'One that is enabled again is told of what happens from then on, and of what waited before.',
    params: webhookParams,
    body: webhookRequestSchema,
    answers: { 200: { description: 'As it is now.', body: oneWebhook } },
    errors: [
      'webhook_not_found',
      'tenant_not_found',
      'webhooks_not_configured',
      'mail_not_configured',
      'links_not_configured',
    ],
  },
  delete_webhook: {
    method: 'DELETE',
    path: '/v1/tenants/{tenant_id}/webhooks/{webhook_id}',
    access: 'admin',
    summary: 'Delete a webhook with its deliveries; what is under way still arrives.',
    params: webhookParams,
    answers: { 200: { description: 'As it was.', body: oneWebhook } },
    errors: ['webhook_not_found', 'tenant_not_found'],
  },
  rotate_webhook: {
    method: 'POST',
    path: '/v1/tenants/{tenant_id}/webhooks/{webhook_id}/rotate',
    access: 'admin',
    summary: 'Replace the secret; the one before signs too for a while.',
    params: webhookParams,
    body: webhookRotationSchema,
    answers: { 200: { description: 'Rotated.', body: webhookSecretSchema } },
    errors: ['webhook_not_found', 'tenant_not_found', 'webhooks_not_configured'],
  },
  list_deliveries: {
    method: 'GET',
    path: '/v1/tenants/{tenant_id}/webhooks/{webhook_id}/deliveries',
    access: 'admin',
    summary: 'Messages to a webhook of the last 30 days and what came of them.',
    params: webhookParams,
    query: z.strictObject({ limit: listLimitSchema, cursor: timeCursorSchema.optional() }),
    answers: {
      200: {
        description: 'One page, newest first.',
        body: z.strictObject({ deliveries: z.array(webhookDeliverySchema), next_cursor: nextCursorSchema }),
      },
    },
    errors: ['webhook_not_found'],
  },
  redeliver: {
    method: 'POST',
    path: '/v1/tenants/{tenant_id}/webhooks/{webhook_id}/deliveries/{delivery_id}/redeliver',
    access: 'admin',
    summary: 'Send a message again at once, whatever came of it; its attempts begin anew.',
    params: deliveryParams,
    answers: {
      200: { description: 'Due now.', body: z.strictObject({ delivery: webhookDeliverySchema }) },
    },
    errors: ['delivery_not_found', 'webhook_not_found', 'webhook_disabled'],
  },
} as const satisfies Record<string, Endpoint>
