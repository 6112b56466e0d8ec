import { z } from 'zod'
import { actionIdSchema, timestampSchema } from '../base/identifier.ts'
import { jsonValueSchema } from '../base/json.ts'
import { limits } from '../base/limits.ts'
import { principalSchema } from './audit.ts'

/**
 * The statuses of an action (specification.md#states), each changed in one transaction with its event, so that a
 * crash leaves the last committed status:
 *
 * - `received`, `allowed` and `approved`: a proposal, an allowing verdict or an approval passes through them
 *   inside one transaction, so none is committed.
 * - `pending_approval`: the gate puts an action here that needs a person. An approval, rejection, edit, withdrawal
 *   or expiry moves it on; after a crash it is still held until its time to live ends.
 * - `execution_pending`: a verdict, an approval, a retry or a reconcile round puts it here. The claim of a worker
 *   moves it on, or a refusal if its request changed; after a crash any worker may claim it.
 * - `executing`: the claim of a worker puts it here before the call, and the recorded outcome moves it on. If the
 *   worker crashes, its lease expires and the attempt counts as unknown.
 * - `denied`: the gate, an approver, an edit, an expiry or a withdrawal puts it here. It is final.
 * - `executed`: a reported or proved success, or an operator, puts it here. It is final.
 * - `execution_failed`: a failure that proves that no attempt had an effect, a refusal in place of a call, or an
 *   operator puts it here. It is final.
 * - `outcome_unknown`: an attempt that may have had an effect puts it here. A reconcile round, a late result or an
 *   operator moves it on; a crash loses only the round under way.
 */
export const actionStatuses = [
  'received',
  'allowed',
  'pending_approval',
  'approved',
  'execution_pending',
  'executing',
  'denied',
  'executed',
  'execution_failed',
  'outcome_unknown',
] as const
export const actionStatusSchema = z.enum(actionStatuses).meta({
  id: 'ActionStatus',
  description:
    'Where an action stands. `executed`, `denied` and `execution_failed` are final; after `outcome_unknown` automation stops.',
})
export type ActionStatus = z.infer<typeof actionStatusSchema>

export const actionOutcomeSchema = z
  .strictObject({
    status: actionStatusSchema,
    code: z
      .string()
      .describe(
        '`executed`, `rejected`, `approval_expired`, `withdrawn`, `superseded`, `resolved_by_operator`, a code of `blocking_reasons`, or that of the last error, such as `http_422` or `request_changed`.',
      ),
    message: z
      .string()
      .describe('Why, for a reader: the note of whoever decided, or what the downstream said.'),
    by: principalSchema.extend({ name: z.string().nullable() }).describe('Who ended it.'),
    superseded_by: actionIdSchema
      .optional()
      .describe('With the code `superseded`: the action that takes its place. Follow that one.'),
    body: jsonValueSchema
      .optional()
      .describe(
        'What the downstream answered, where it failed with JSON of at most 4 kB; of success see `result`.',
      ),
    try_again: z
      .boolean()
      .describe(
        'Whether the same may end otherwise under a new `proposal_id`; false also where it may have happened.',
      ),
    mendable: z
      .boolean()
      .optional()
      .describe(
        'Where the gate denied it: whether the reasons are of the form of the parameters alone, so that mending them is welcome.',
      ),
    next: z.string().optional().describe('Where the gate denied it: what to do next, for a reader.'),
  })
  .meta({ id: 'ActionOutcome', description: 'How an action ended, why, and whether a new try makes sense.' })
export type ActionOutcome = z.infer<typeof actionOutcomeSchema>

export const recordedRoleSchema = z.string().optional().describe('The role by which an account decided.')

export const countedApprovalSchema = z.strictObject({
  principal: principalSchema,
  name: z.string().nullable(),
  role: recordedRoleSchema,
  holder: z.string().describe('Who stands behind the principal: each counts once.'),
  note: z.string().nullable(),
  at: timestampSchema,
  group: z.string().optional().describe('For which group of the route it counts; where there is one.'),
  on_behalf_of: z
    .string()
    .optional()
    .describe('The absent holder for whom it was given; neither of the two counts again.'),
})
export type CountedApproval = z.infer<typeof countedApprovalSchema>

export const approvalsSchema = z
  .strictObject({
    required: z.int().min(2).max(limits.approvals_required_max).describe('Frozen when it was held.'),
    given: z.int().min(0).max(limits.approvals_required_max),
    by: z.array(countedApprovalSchema).describe('In their order.'),
  })
  .describe('Where more than one approval is required: how many there are, and whose.')
export type Approvals = z.infer<typeof approvalsSchema>
