import { z } from 'zod'
import {
  pushStateSchema,
  pushSubscriptionRequestSchema,
  pushSubscriptionSchema,
  subscriptionIdSchema,
} from '../push-schema.ts'
import type { Endpoint } from './endpoint.ts'

const oneSubscription = z.strictObject({ subscription: pushSubscriptionSchema })

/** Rows of the endpoint table for browser notifications about held actions (approvals.md#in-the-browser). */
export const pushEndpoints = {
  read_push: {
    method: 'GET',
    path: '/v1/push-subscriptions',
    access: 'approver',
    summary: 'Your browsers that show what waits, and the key that another one subscribes with.',
    answers: { 200: { description: 'Yours alone.', body: pushStateSchema } },
    errors: [],
  },
  subscribe_push: {
    method: 'POST',
    path: '/v1/push-subscriptions',
    access: 'approver',
    summary: 'Let a browser of yours show what waits from now on; the same twice is once.',
    description:
      'A message has operation, system, application, count and path, and never parameters. The sixth subscription takes the place of the oldest.',
    body: pushSubscriptionRequestSchema,
    answers: { 200: { description: 'The subscription.', body: oneSubscription } },
    errors: ['webhooks_not_configured'],
  },
  unsubscribe_push: {
    method: 'DELETE',
    path: '/v1/push-subscriptions/{subscription_id}',
    access: 'approver',
    summary: 'End a subscription of yours; nothing more is sent to it.',
    params: z.strictObject({ subscription_id: subscriptionIdSchema }),
    answers: { 200: { description: 'As it was.', body: oneSubscription } },
    errors: ['webhook_not_found'],
  },
} as const satisfies Record<string, Endpoint>
