import { z } from 'zod'
import { actionStatusSchema } from './action/action-status.ts'
import { isNormal } from './action/callback.ts'
import { reviewUrlSchema } from './action/verdict.ts'
import { actionIdSchema, tenantIdSchema, timestampSchema } from './base/identifier.ts'
import { jsonValueSchema } from './base/json.ts'
import { limits } from './base/limits.ts'

export const messageTypes = [
  'action.pending_approval',
  'action.settled',
  'action.outcome_unknown',
  'action.callback',
  'action.reminder',
  'action.escalated',
] as const
export const messageTypeSchema = z.enum(messageTypes).meta({
  id: 'MessageType',
  description:
    'What happened: an action waits for a person, is `executed`, `denied` or `execution_failed`, or nobody knows what became of it. `action.callback`: it is settled, and its proposal asked to be called back. `action.reminder`: it still waits, after one of `remind_after_ms`. `action.escalated`: it still waits, and another group may approve as well.',
})
export type MessageType = z.infer<typeof messageTypeSchema>

const callbackType = 'action.callback'
const reminderType = 'action.reminder'

/** Returns true for a callback endpoint. It gets callbacks only, no other messages. */
export function takesCallbacks(types: readonly MessageType[]): boolean {
  return types.includes(callbackType)
}

export const webhookIdSchema = z
  .string()
  .regex(/^wh_[a-z2-7]{16}$/)
  .meta({ description: 'Webhook identifier.', examples: ['wh_4jq7m2xkd5ro3n6a'] })
export const deliveryIdSchema = z
  .string()
  .regex(/^msg_[a-z2-7]{16}_(?:0|[1-9]\d{0,14})(?:r[1-9])?$/)
  .meta({
    description:
      'The message: its `webhook-id`, the same in every attempt. Of a reminder it ends with `r` and its number.',
    examples: ['msg_4jq7m2xkd5ro3n6a_12'],
  })

/** The form of a message: signed JSON for programs, or text for people. */
export const messageFormats = ['signed', 'email', 'slack', 'teams'] as const
export type MessageFormat = (typeof messageFormats)[number]

export type DeliveredFormat = MessageFormat | 'push'

const chats = ['slack', 'teams'] as const
export type ChatFormat = (typeof chats)[number]

/**
 * Returns true for a chat's incoming webhook. Its URL is a secret, because anybody with the URL could post there.
 */
export function isChat(format: DeliveredFormat): format is ChatFormat {
  return chats.some(chat => chat === format)
}

/** Returns true for the masked form of a secret URL: its origin and a digest. */
export function isHiddenUrl(url: string): boolean {
  return /^https?:\/\/[^/]+\/sha256:[0-9a-f]{64}$/.test(url)
}

const mailScheme = 'mailto:'

export function mailAddress(url: string): string {
  return url.slice(mailScheme.length)
}

const urlSchema = z
  .string()
  .max(limits.webhook_url_length_max)
  .regex(/^(?:https?:\/\/[^\s#@]+|mailto:[A-Za-z0-9._+'=~-]{1,64}@[A-Za-z0-9.-]{1,190})$/, {
    message: 'must be an http or https URL without credentials or fragment, or mailto: and one address',
    abort: true,
  })
  .refine(text => URL.canParse(text), { message: 'must be a URL', params: { code: 'invalid_url' } })
  .meta({
    description:
      'Where messages are posted: https. Of the format `email`, `mailto:` and an address. Of `slack` and `teams`, an incoming webhook, which is a secret; replacing takes the shown form for the URL that is kept. Of `action.callback`, what the URLs of callbacks begin with; it ends with a slash.',
    examples: ['https://hooks.example.org/gate'],
  })

export const remindAfterSchema = z
  .array(z.int().min(1_000).max(limits.webhook_reminder_ms_max))
  .max(limits.webhook_reminders_max)
  .default([])

export function inTime(remindAfterMs: readonly number[]): number[] {
  return [...new Set(remindAfterMs)].sort((one, other) => one - other)
}

const settings = {
  url: urlSchema,
  format: z
    .enum(messageFormats)
    .default('signed')
    .describe(
      'How messages are written: signed JSON for a program, or words for people, by e-mail or to a chat.',
    ),
  event_types: z.array(messageTypeSchema).min(1).max(messageTypes.length).describe('What it is told of.'),
  remind_after_ms: remindAfterSchema.describe(
    'Of `action.reminder`: how long after an action was held it reminds of it, once each, as long as it waits; milliseconds.',
  ),
  tells_values: z
    .boolean()
    .default(true)
    .describe(
      'Of words for people: whether they say the amount and the target of an action. Signed messages and browsers never do.',
    ),
  enabled: z.boolean().default(true).describe('Whether messages are made and sent.'),
  description: z
    .string()
    .max(limits.webhook_description_length_max)
    .nullable()
    .default(null)
    .meta({ description: 'For whoever reads the list.', examples: ['approval bot'] }),
}

export const webhookRequestSchema = z
  .strictObject(settings)
  .refine(({ format, url }) => (format === 'email') === url.startsWith(mailScheme), {
    path: ['url'],
    message: 'an e-mail goes to `mailto:` and an address, and nothing else does',
    params: { code: 'invalid_url' },
  })
  .refine(
    ({ event_types }) => !takesCallbacks(event_types) || event_types.every(type => type === callbackType),
    {
      path: ['event_types'],
      message: 'callbacks have an endpoint of their own: `action.callback` is its only type',
      params: { code: 'callback_alone' },
    },
  )
  .refine(
    ({ event_types, remind_after_ms }) => event_types.includes(reminderType) === remind_after_ms.length > 0,
    {
      path: ['remind_after_ms'],
      message: 'says when `action.reminder` is sent: neither comes without the other',
      params: { code: 'reminders_together' },
    },
  )
  .refine(
    ({ event_types, format, url }) =>
      !takesCallbacks(event_types) || (format === 'signed' && url.endsWith('/') && isNormal(url)),
    {
      path: ['url'],
      message: 'what callbacks begin with is `signed`, ends with a slash, and is written as it is called',
      params: { code: 'invalid_url' },
    },
  )
  .meta({
    id: 'WebhookRequest',
    title: 'Webhook request',
    description: 'Where to post what happens to the actions of a tenant.',
  })
export type WebhookRequest = z.infer<typeof webhookRequestSchema>

export const disabledReasonSchema = z.enum(['gone', 'failing'])
export type DisabledReason = z.infer<typeof disabledReasonSchema>

export const webhookSchema = z
  .strictObject({
    webhook_id: webhookIdSchema,
    tenant_id: tenantIdSchema,
    url: z
      .string()
      .describe('As it was set. Of `slack` and `teams`: its origin, and `sha256:` of the whole URL.'),
    format: z.enum(messageFormats),
    event_types: z.array(messageTypeSchema),
    remind_after_ms: z.array(z.int()).describe('When it reminds of what still waits, the soonest first.'),
    tells_values: z.boolean().describe('Whether its words say the amount and the target of an action.'),
    enabled: z.boolean(),
    description: z.string().nullable(),
    disabled_reason: disabledReasonSchema
      .nullable()
      .describe('Why the service disabled it: it answered 410, or every attempt failed for days.'),
    failing_since: timestampSchema.nullable().describe('Since when every attempt failed.'),
    generation: z.int().min(1).describe('Of the secret; one more with each rotation.'),
    previous_until: timestampSchema.nullable().describe('Until when the secret before signs too.'),
    created_at: timestampSchema,
  })
  .meta({ id: 'Webhook', title: 'Webhook', description: 'An endpoint that is told of actions.' })
export type Webhook = z.infer<typeof webhookSchema>

/** The answer to creating a webhook and to rotating its secret. No other answer shows the secret. */
export const webhookSecretSchema = z
  .strictObject({
    webhook: webhookSchema,
    secret: z
      .string()
      .regex(/^whsec_[A-Za-z0-9+/]{43}=$/)
      .meta({
        description: 'What messages are signed with (Standard Webhooks); shown once.',
        examples: ['whsec_0LGa2QlV0Hq0G0e7y3oT5bq4U8mZ1rJk9nXw6cSdEfA='],
      }),
  })
  .meta({ id: 'WebhookSecret', title: 'Webhook secret', description: 'A webhook with its secret.' })
export type WebhookSecret = z.infer<typeof webhookSecretSchema>

export const webhookRotationSchema = z
  .strictObject({
    overlap_ms: z
      .int()
      .min(0)
      .max(limits.webhook_overlap_ms_max)
      .default(86_400_000)
      .describe('For how long the secret before signs too.'),
  })
  .meta({ id: 'WebhookRotation', title: 'Webhook rotation', description: 'How a secret is replaced.' })
export type WebhookRotation = z.infer<typeof webhookRotationSchema>

export const deliveryStateSchema = z.enum(['pending', 'delivered', 'failed'])
export type DeliveryState = z.infer<typeof deliveryStateSchema>

export const webhookDeliverySchema = z
  .strictObject({
    delivery_id: deliveryIdSchema,
    webhook_id: webhookIdSchema,
    type: messageTypeSchema,
    action_id: actionIdSchema,
    status: actionStatusSchema,
    state: deliveryStateSchema.describe('`failed`: no attempt is left; `redeliver` begins again.'),
    attempts: z.int().min(0),
    last_attempt_at: timestampSchema.nullable(),
    last_status: z
      .int()
      .nullable()
      .describe('What the last attempt was answered, over HTTP or SMTP; null where it was not.'),
    last_error: z.string().nullable().describe('Why the last attempt was not answered.'),
    next_attempt_at: timestampSchema.nullable().describe('Null where none follows.'),
    created_at: timestampSchema,
  })
  .meta({ id: 'WebhookDelivery', title: 'Webhook delivery', description: 'A message and what came of it.' })
export type WebhookDelivery = z.infer<typeof webhookDeliverySchema>

/**
 * The body of a message. It omits the action's content, so that only a reader with a key of the tenant can fetch
 * it.
 */
export const webhookMessageSchema = z
  .strictObject({
    type: messageTypeSchema,
    timestamp: timestampSchema.describe('When it happened; of a reminder, when the action was held.'),
    data: z.strictObject({
      tenant_id: tenantIdSchema,
      action_id: actionIdSchema,
      status: actionStatusSchema,
      polling_url: z.string(),
      review_url: reviewUrlSchema.optional(),
      data: jsonValueSchema.optional().describe('Of a callback: what its proposal said.'),
    }),
  })
  .meta({ id: 'WebhookMessage', title: 'Webhook message', description: 'What is posted to an endpoint.' })
export type WebhookMessage = z.infer<typeof webhookMessageSchema>
