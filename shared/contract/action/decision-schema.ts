import { z } from 'zod'
import type { ErrorCode } from '../base/errors.ts'
import { actionIdSchema, hashSchema } from '../base/identifier.ts'
import { limits } from '../base/limits.ts'
import { approvalRecordSchema, decisionResponseSchema } from './action.ts'
import { actionStatusSchema } from './action-status.ts'
import { parametersSchema } from './proposal-schema.ts'

const noteSchema = z.string().max(limits.note_length_max).describe('Recorded with the decision.')

/** One decision of a batch. Even a rejection must give the digests of the content that the person saw. */
const batchedDecisionSchema = z.strictObject({
  action_id: actionIdSchema,
  decision: z.enum(['approve', 'reject']),
  proposal_hash: hashSchema.describe('`verdict.proposal_hash` of what was seen.'),
  request_hash: hashSchema
    .nullable()
    .describe('`verdict.request_hash` of what was seen; null where the verdict has none.'),
  note: noteSchema.optional(),
})
export type BatchedDecision = z.infer<typeof batchedDecisionSchema>

/** The body of `POST /v1/approvals`. It names each action, because no action is decided unnamed. */
export const decisionBatchSchema = z
  .strictObject({
    decisions: z
      .array(batchedDecisionSchema)
      .min(1)
      .max(limits.decisions_per_batch_max)
      .superRefine((decisions, check) => {
        const seen = new Set<string>()
        for (const [at, { action_id }] of decisions.entries()) {
          if (seen.has(action_id))
            check.addIssue({
              code: 'custom',
              path: [at, 'action_id'],
              params: { code: 'duplicate_action' },
              message: 'names an action that another decision names',
            })
          seen.add(action_id)
        }
      })
      .describe('Each of another action.'),
    note: noteSchema.optional().describe('Recorded with each decision that has no note of its own.'),
  })
  .meta({
    id: 'DecisionBatch',
    title: 'Decision batch',
    description: 'Decisions about several held actions, each with the digests of what was seen.',
  })
export type DecisionBatch = z.infer<typeof decisionBatchSchema>

export const approvalRefusals = [
  'action_not_found',
  'action_not_approvable',
  'approval_already_counted',
  'own_proposal',
  'not_on_route',
  'wrong_issuer',
  'group_complete',
  'proposal_mismatch',
  'request_mismatch',
  'frozen',
] as const satisfies readonly ErrorCode[]

export const batchRefusals = [
  ...approvalRefusals,
  'key_revoked',
  'session_required',
  'storage_unavailable',
] as const satisfies readonly ErrorCode[]
export type BatchRefusal = (typeof batchRefusals)[number]

const batchedResultSchema = z.strictObject({
  action_id: actionIdSchema,
  applied: z.boolean().describe('Whether the decision is recorded, now or by the same approver before.'),
  action_status: actionStatusSchema
    .optional()
    .describe('Where the action stands; `pending_approval` where it takes more approvals.'),
  code: z.enum(batchRefusals).optional().describe('Why it was not recorded: a code of the table of errors.'),
  detail: z.string().optional().describe('The same in words.'),
  decided: approvalRecordSchema
    .optional()
    .describe('With `action_not_approvable`: how the action was decided before, and by whom.'),
})
export type BatchedResult = z.infer<typeof batchedResultSchema>

export const decisionResultsSchema = z
  .strictObject({
    applied: z.int().min(0).describe('How many decisions are recorded.'),
    results: z.array(batchedResultSchema).describe('One for each decision, in the order of the request.'),
  })
  .meta({
    id: 'DecisionResults',
    title: 'Decision results',
    description: 'What became of each decision of a batch.',
  })
export type DecisionResults = z.infer<typeof decisionResultsSchema>

/** The body of edit (extension): new parameters for the same operation of the same system. */
export const editRequestSchema = z
  .strictObject({
    parameters: parametersSchema.describe('All parameters, as they are to be sent.'),
    proposal_hash: hashSchema.describe(
      'What was edited: where the action holds another proposal, nothing happens.',
    ),
    note: z.string().max(limits.note_length_max).optional().describe('Recorded with both actions.'),
  })
  .meta({
    id: 'EditRequest',
    title: 'Edit request',
    description: 'Other parameters for a held action, approved by whoever sends them.',
  })
export type EditRequest = z.infer<typeof editRequestSchema>

export const editResponseSchema = decisionResponseSchema
  .extend({ supersedes: actionIdSchema.describe('The action that was edited; it ended as denied.') })
  .meta({
    id: 'EditResponse',
    title: 'Edit response',
    description: 'The action that takes the place of the edited one.',
  })
export type EditResponse = z.infer<typeof editResponseSchema>
