import { z } from 'zod'
import { proposalSchema } from '../action/proposal-schema.ts'
import { decisionSchema, evaluationSchema } from '../action/verdict.ts'
import { actionIdSchema, identifierSchema } from '../base/identifier.ts'
import { documentSchema } from '../base/json.ts'
import { limits } from '../base/limits.ts'

const drafts = {
  policy: documentSchema('Policy').optional(),
  catalog: documentSchema('Catalog').optional(),
}

export const policyCheckSchema = z.strictObject({ proposal: proposalSchema, ...drafts }).meta({
  id: 'PolicyCheck',
  title: 'Policy check',
  description: 'A proposal to try, and drafts to try it under instead of what is in force.',
})

/** A verdict without `action_id` and `audit`, because a check is not recorded (specification.md#endpoints). */
export const checkedProposalSchema = evaluationSchema
  .omit({ review_route: true })
  .extend({
    proposal_id: identifierSchema,
    review_route: z.string().optional().describe('Who would decide; with `needs_approval`.'),
  })
  .meta({
    id: 'CheckedProposal',
    title: 'Checked proposal',
    description: 'What the gate would decide: nothing was recorded. A draft has the revision it would get.',
  })
export type CheckedProposal = z.infer<typeof checkedProposalSchema>

export const policyReplaySchema = z
  .strictObject({
    ...drafts,
    limit: z
      .int()
      .min(1)
      .max(limits.replay_actions_max)
      .default(limits.replay_actions_default)
      .describe('How many actions to decide again, the newest first.'),
  })
  .meta({
    id: 'PolicyReplay',
    title: 'Policy replay',
    description: 'Drafts under which recorded proposals are decided again.',
  })

const countSchema = z.int().min(0)
const countsSchema = z
  .strictObject({ allow: countSchema, needs_approval: countSchema, deny: countSchema })
  .meta({ id: 'DecisionCounts', description: 'Actions by what the draft decides.' })

const flipSchema = z
  .strictObject({
    action_id: actionIdSchema,
    proposal_id: identifierSchema,
    recorded: decisionSchema,
    draft: decisionSchema,
    check: z.string().describe('The check that made the difference.'),
    path: z.string().nullable().describe('Place in the proposal; null for the whole.'),
    message: z.string(),
  })
  .meta({ id: 'Flip', description: 'An action that a draft would have decided otherwise, and why.' })

export const replayReportSchema = z
  .strictObject({
    replayed: countSchema.describe('How many actions were decided again.'),
    transitions: z
      .strictObject({ allow: countsSchema, needs_approval: countsSchema, deny: countsSchema })
      .describe('By the recorded decision, then by that of the draft.'),
    flips: z
      .array(flipSchema)
      .describe(`Actions that are decided otherwise, newest first, at most ${limits.replay_flips_max}.`),
    flips_omitted: countSchema.describe('How many more there are.'),
    not_replayed: z
      .array(z.strictObject({ reason: z.enum(['erased']), count: z.int().min(1) }))
      .describe('Actions that could not be decided again, by reason.'),
  })
  .meta({
    id: 'ReplayReport',
    title: 'Replay report',
    description: 'What drafts would have decided about recorded proposals. It changes nothing.',
  })
export type ReplayReport = z.infer<typeof replayReportSchema>
