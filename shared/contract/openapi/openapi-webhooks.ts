import { z } from 'zod'
import type { ZodOpenApiOperationObject, ZodOpenApiPathsObject } from 'zod-openapi'
import type { ActionStatus } from '../action/action-status.ts'
import { type MessageType, messageTypes, webhookMessageSchema } from '../webhook.ts'

export const messageTag = {
  name: 'Messages',
  description: 'What the service posts to the webhooks of a tenant.',
}

const summaries: Readonly<Record<MessageType, string>> = {
  'action.pending_approval': 'An action waits for a person.',
  'action.settled': 'An action was executed or denied, or its execution failed.',
  'action.outcome_unknown': 'Nobody knows whether an action had its effect.',
  'action.callback': 'An action settled whose proposal asked to be called back.',
  'action.reminder': 'An action still waits for a person.',
  'action.escalated': 'An action still waits, and another group may approve as well.',
}

const description =
  'Posted at least once and in no order, signed after the Standard Webhooks specification. ' +
  'The same `webhook-id` is the same message: remember it, and read the action before acting on it.'

const header = (description: string, example: string) => z.string().meta({ description, examples: [example] })

const headers = z.object({
  'webhook-id': header('The message, the same in every attempt.', 'msg_4jq7m2xkd5ro3n6a_12'),
  'webhook-timestamp': header('Seconds since 1970 at this attempt.', '1795453200'),
  'webhook-signature': header(
    '`v1,` and an HMAC-SHA-256 in base64 over `<webhook-id>.<webhook-timestamp>.<body>`; two by a space while a secret is replaced.',
    'v1,xXdOxLlLsvVxGyDHh9Uw4FtyLh1Bz5VEzqRHuhzAPZ0=',
  ),
})

const responses = {
  '2XX': { description: 'The message arrived. Nothing of the body is read.' },
  410: { description: 'The endpoint wants no more messages: the service disables the webhook.' },
  429: { description: 'The service tries again, not before `Retry-After`.' },
  default: { description: 'The service tries again, less and less often. Redirects are not followed.' },
}

export function webhooksOf(): ZodOpenApiPathsObject {
  return Object.fromEntries(messageTypes.map(type => [type, { post: operationOf(type) }]))
}

function operationOf(type: MessageType): ZodOpenApiOperationObject {
  const schema = webhookMessageSchema
  return {
    operationId: `receive_${type.replace('.', '_')}`,
    tags: [messageTag.name],
    summary: summaries[type],
    description,
    security: [],
    requestParams: { header: headers },
    requestBody: { required: true, content: { 'application/json': { schema, examples: exampleOf(type) } } },
    responses,
  }
}

const reached: Readonly<Record<MessageType, ActionStatus>> = {
  'action.pending_approval': 'pending_approval',
  'action.settled': 'executed',
  'action.outcome_unknown': 'outcome_unknown',
  'action.callback': 'executed',
  'action.reminder': 'pending_approval',
  'action.escalated': 'pending_approval',
}

function exampleOf(type: MessageType): Record<string, { value: z.infer<typeof webhookMessageSchema> }> {
  const action_id = 'act_01m7xt54nqk2ceee43y5nrz4ggca2c1v2vbf'
  const data = {
    tenant_id: 'demo',
    action_id,
    status: reached[type],
    polling_url: `/v1/actions/${action_id}`,
    ...(reached[type] === 'pending_approval' ? { review_url: `/approve/demo/${action_id}` } : {}),
    ...(type === 'action.callback' ? { data: { workflow: 'refund-42' } } : {}),
  }
  return { message: { value: { type, timestamp: '2026-11-23T18:00:00.000Z', data } } }
}
