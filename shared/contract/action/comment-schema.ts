import { z } from 'zod'
import { actionIdSchema, hashSchema, timestampSchema } from '../base/identifier.ts'
import { limits } from '../base/limits.ts'
import { actionStatusSchema, recordedRoleSchema } from './action-status.ts'
import { principalSchema } from './audit.ts'

export const commentKindSchema = z.enum(['comment', 'change_request']).meta({
  id: 'CommentKind',
  description: '`change_request` asks the agent for something else; neither kind decides anything.',
})
export type CommentKind = z.infer<typeof commentKindSchema>

export const commentRequestSchema = z
  .strictObject({
    kind: commentKindSchema,
    text: z
      .string()
      .min(1)
      .max(limits.note_length_max)
      .describe('Recorded, and shown to the agent and to everybody who reads the action.'),
  })
  .meta({
    id: 'CommentRequest',
    title: 'Comment request',
    description: 'What is said of a held action, or asked of its agent.',
  })
export type CommentRequest = z.infer<typeof commentRequestSchema>

export const commentSchema = z
  .strictObject({
    kind: commentKindSchema,
    principal: principalSchema,
    name: z.string().nullable().describe('Of the key or the account.'),
    role: recordedRoleSchema,
    text: z.string(),
    at: timestampSchema,
  })
  .meta({ id: 'Comment', description: 'What somebody who may decide said while the action was held.' })
export type Comment = z.infer<typeof commentSchema>

export const commentsSchema = z
  .array(commentSchema)
  .describe('What was said while it was held, in order; where anything was.')

export const commentResponseSchema = z
  .strictObject({
    action_id: actionIdSchema,
    action_status: actionStatusSchema,
    audit_root: hashSchema,
    comments: commentsSchema,
  })
  .meta({
    id: 'CommentResponse',
    title: 'Comment response',
    description: 'The action with all that was said of it.',
  })
export type CommentResponse = z.infer<typeof commentResponseSchema>
