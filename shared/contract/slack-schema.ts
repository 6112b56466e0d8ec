import { z } from 'zod'
import { actionIdSchema, hashSchema, tenantIdSchema, timestampSchema } from './base/identifier.ts'
import { limits } from './base/limits.ts'

const teamIdSchema = z
  .string()
  .regex(/^T[A-Z0-9]{2,20}$/, 'must be the id of a workspace, such as T024FJ2Q7')
  .describe('Workspace of Slack, its `team_id`.')
  .meta({ examples: ['T024FJ2Q7'] })

const slackUserSchema = z
  .string()
  .regex(/^[UW][A-Z0-9]{2,20}$/, 'must be the id of a user, such as U02A9BQ4K')
  .describe('User of that workspace, its `user_id`.')
  .meta({ examples: ['U02A9BQ4K'] })

/**
 * The Slack user who pressed a button. Each decision made in Slack records this user
 * (specification.md#decisions-in-slack).
 */
export const slackIdentitySchema = z
  .strictObject({ kind: z.literal('slack'), team_id: teamIdSchema, user_id: slackUserSchema })
  .meta({ id: 'SlackIdentity', description: 'Who decided in Slack.' })
export type SlackIdentity = z.infer<typeof slackIdentitySchema>

export const slackAppRequestSchema = z
  .strictObject({
    team_id: teamIdSchema,
    signing_secret: z
      .string()
      .regex(/^[0-9a-f]{32}$/, 'must be the 32 hexadecimal digits of Basic Information')
      .describe('What Slack signs its requests with; nobody reads it again.')
      .meta({ examples: ['8f742231b10e8888abcd99000000f85a'] }),
  })
  .meta({
    id: 'SlackAppRequest',
    title: 'Slack app request',
    description: 'The Slack app whose buttons decide about the actions of the tenant.',
  })
export type SlackAppRequest = z.infer<typeof slackAppRequestSchema>

export const slackAppSchema = z
  .strictObject({
    tenant_id: tenantIdSchema,
    team_id: teamIdSchema,
    registered_at: timestampSchema,
    interactions_url: z.string().describe('Its Request URL under *Interactivity & Shortcuts*.'),
    commands_url: z.string().describe('Request URL of its slash command.'),
  })
  .meta({ id: 'SlackApp', title: 'Slack app', description: 'The Slack app of a tenant, without its secret.' })
export type SlackApp = z.infer<typeof slackAppSchema>

export const slackLinkSchema = z
  .strictObject({ team_id: teamIdSchema, user_id: slackUserSchema, linked_at: timestampSchema })
  .meta({ id: 'SlackLink', title: 'Slack link', description: 'The Slack user that an account decides as.' })
export type SlackLink = z.infer<typeof slackLinkSchema>

export const slackStateSchema = z
  .strictObject({
    app: slackAppSchema.nullable().describe('Null where the tenant has none.'),
    link: slackLinkSchema.nullable().describe('Of the account that asks; null where there is none.'),
  })
  .meta({
    id: 'SlackState',
    title: 'Slack',
    description: 'The Slack app of a tenant, and the own link to it.',
  })
export type SlackState = z.infer<typeof slackStateSchema>

/** The answer to creating a code. No other answer shows the code. */
export const slackCodeSchema = z
  .strictObject({
    code: z
      .string()
      .describe('What the slash command of the app takes, once; whoever sends it decides as the account.')
      .meta({ examples: ['k3Jr0m3gJ1cR8v5yQm2Zt7wXo4Lb9nD6sFh0aUeKiPg'] }),
    expires_at: timestampSchema,
  })
  .meta({ id: 'SlackCode', title: 'Slack code', description: 'Links the Slack user who sends it.' })
export type SlackCode = z.infer<typeof slackCodeSchema>

/** The body of a pressed button as Slack sends it. Other members are ignored. */
export const slackInteractionSchema = z
  .looseObject({
    payload: z
      .string()
      .max(limits.slack_payload_length_max)
      .describe('What happened, in JSON.')
      .meta({
        examples: [
          '{"type":"block_actions","team":{"id":"T024FJ2Q7"},"user":{"id":"U02A9BQ4K"},"actions":[]}',
        ],
      }),
  })
  .meta({ id: 'SlackInteraction', title: 'Slack interaction', description: 'A button that was pressed.' })

/** The body of a slash command as Slack sends it. Other members are ignored. */
export const slackCommandSchema = z
  .looseObject({
    team_id: teamIdSchema,
    user_id: slackUserSchema,
    text: z
      .string()
      .max(limits.slack_command_length_max)
      .default('')
      .describe('A code, `unlink`, or nothing, which asks who is linked.'),
  })
  .meta({ id: 'SlackCommand', title: 'Slack command', description: 'A slash command that was sent.' })
export type SlackCommand = z.output<typeof slackCommandSchema>

export const slackReplySchema = z
  .strictObject({
    response_type: z.literal('ephemeral').describe('Nobody else sees it.'),
    text: z.string(),
  })
  .meta({ id: 'SlackReply', title: 'Slack reply', description: 'What Slack shows whoever sent a command.' })

export const slackClickSchema = z.looseObject({
  type: z.string(),
  team: z.looseObject({ id: teamIdSchema }),
  user: z.looseObject({ id: slackUserSchema, team_id: z.string().optional() }),
  response_url: z.string().max(limits.webhook_url_length_max).optional(),
  actions: z.array(z.looseObject({ action_id: z.string(), value: z.string().optional() })).default([]),
})

export const slackButtonSchema = z.strictObject({
  action_id: actionIdSchema,
  proposal_hash: hashSchema,
  request_hash: hashSchema.nullable(),
})
