import { z } from 'zod'
import { timestampSchema } from './base/identifier.ts'
import { limits } from './base/limits.ts'
import { remindAfterSchema } from './webhook.ts'

export const subscriptionIdSchema = z
  .string()
  .regex(/^wh_[a-z2-7]{16}$/)
  .meta({
    description: 'Identifier of a subscription, as webhooks have them.',
    examples: ['wh_7c2xq4mkd5ro3n6a'],
  })

/**
 * The body of a subscription: the reminder times, and the browser's `PushSubscription.toJSON()` without its
 * expiry.
 */
export const pushSubscriptionRequestSchema = z
  .strictObject({
    endpoint: z
      .string()
      .max(limits.webhook_url_length_max)
      .regex(/^https?:\/\/[^\s#@]+$/, { message: 'must be an https URL', abort: true })
      .refine(text => URL.canParse(text), { message: 'must be a URL', params: { code: 'invalid_url' } })
      .meta({
        description: 'The URL at the push service of the browser: https to a public address. It is a secret.',
        examples: ['https://push.example.org/send/cM3p0Tz'],
      }),
    keys: z
      .strictObject({
        p256dh: z
          .string()
          .regex(/^[A-Za-z0-9_-]{87}$/)
          .describe('Public key of the browser: an uncompressed point of P-256 in base64url.'),
        auth: z
          .string()
          .regex(/^[A-Za-z0-9_-]{22}$/)
          .describe('Secret of the browser: 16 bytes in base64url.'),
      })
      .describe('What messages are encrypted for.'),
    remind_after_ms: remindAfterSchema.describe(
      'How long after an action was held it is shown again, once each, as long as it waits; milliseconds.',
    ),
  })
  .meta({
    id: 'PushSubscriptionRequest',
    title: 'Push subscription request',
    description: 'A browser that is to show what waits, after the Push API.',
  })
export type PushSubscriptionRequest = z.infer<typeof pushSubscriptionRequestSchema>

export const pushSubscriptionSchema = z
  .strictObject({
    subscription_id: subscriptionIdSchema,
    endpoint: z.string().describe('Origin of the endpoint, and `sha256:` of the whole: the URL is a secret.'),
    remind_after_ms: z.array(z.int()).describe('When it shows again what still waits, the soonest first.'),
    created_at: timestampSchema,
  })
  .meta({
    id: 'PushSubscription',
    title: 'Push subscription',
    description: 'A browser of yours that shows what waits in the application.',
  })
export type PushSubscription = z.infer<typeof pushSubscriptionSchema>

export const pushStateSchema = z
  .strictObject({
    application_server_key: z
      .string()
      .regex(/^[A-Za-z0-9_-]{87}$/)
      .nullable()
      .describe('What a browser subscribes with (VAPID); null: the service sends nothing to browsers.'),
    subscriptions: z.array(pushSubscriptionSchema).describe('Yours, oldest first.'),
  })
  .meta({
    id: 'PushState',
    title: 'Push state',
    description: 'Your browsers that show what waits in the application.',
  })
export type PushState = z.infer<typeof pushStateSchema>
