import type { PushState, PushSubscription, PushSubscriptionRequest } from '../push-schema.ts'

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
