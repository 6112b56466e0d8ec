import type { PushState, PushSubscription, PushSubscriptionRequest } from '../push-schema.ts'
import type { Webhook, WebhookDelivery, WebhookMessage, WebhookRequest } from '../webhook.ts'

export const webhookRequest: WebhookRequest = {
  url: 'https://hooks.example.org/gate',
  format: 'signed',
  event_types: ['action.pending_approval', 'action.settled', 'action.reminder'],
  remind_after_ms: [3_600_000],
  tells_values: true,
  enabled: true,
  description: 'approval bot',
}

export const exampleWebhook: Webhook = {
  webhook_id: 'wh_4jq7m2xkd5ro3n6a',
  tenant_id: 'web-shop',
  ...webhookRequest,
  disabled_reason: null,
  failing_since: null,
  generation: 1,
  previous_until: null,
  created_at: '2026-11-21T03:04:11.402Z',
}

export const webhookSecret = 'whsec_0LGa2QlV0Hq0G0e7y3oT5bq4U8mZ1rJk9nXw6cSdEfA='

export const exampleDelivery: WebhookDelivery = {
  delivery_id: 'msg_4jq7m2xkd5ro3n6a_12',
  webhook_id: exampleWebhook.webhook_id,
  type: 'action.pending_approval',
  action_id: 'act_01m7xt54nqk2ceee43y5nrz4ggca2c1v2vbf',
  status: 'pending_approval',
  state: 'delivered',
  attempts: 2,
  last_attempt_at: '2026-11-21T03:10:07.218Z',
  last_status: 204,
  last_error: null,
  next_attempt_at: null,
  created_at: '2026-11-21T03:10:01.950Z',
}

export const exampleMessage: WebhookMessage = {
  type: exampleDelivery.type,
  timestamp: '2026-11-21T03:10:01.871Z',
  data: {
    tenant_id: exampleWebhook.tenant_id,
    action_id: exampleDelivery.action_id,
    status: exampleDelivery.status,
    polling_url: `/v1/actions/${exampleDelivery.action_id}`,
    review_url: `/approve/${exampleWebhook.tenant_id}/${exampleDelivery.action_id}`,
  },
}

const point = 'BNcRdreALRFXTkOOUHK1EtK2wtaz5Ry4YfYCA_0QTpQtUbVlUls0VJXg7A8u-Ts1XbjhazAkj7I99e8QcYP7DkM'

export const pushSubscriptionRequest: PushSubscriptionRequest = {
  endpoint: 'https://push.example.org/send/cM3p0Tz',
  keys: { p256dh: point, auth: 'tBHItJI5svbpez7KI4CCXg' },
  remind_after_ms: [1_800_000],
}

export const examplePushSubscription: PushSubscription = {
  subscription_id: 'wh_7c2xq4mkd5ro3n6a',
  endpoint:
    'https://push.example.org/sha256:6e7a4c3a0cbb1c1f5f5c4a1f8f0d3b8c9a6f3e2d1c0b9a8f7e6d5c4b3a291807',
  remind_after_ms: [1_800_000],
  created_at: '2026-11-26T03:04:11.402Z',
}

export const examplePushState: PushState = {
  application_server_key: point,
  subscriptions: [examplePushSubscription],
}
