import { z } from 'zod'
import { proposalSchema } from '../action/proposal.ts'
import { limits } from '../base/limits.ts'

/** An outcome that a stored passing report proved, and that a revision breaks or leaves open. */
export const regressionSchema = z
  .strictObject({
    report_id: z.string().describe('The report that passed.'),
    name: z.string().min(1).max(limits.identifier_length_max).describe('Of the outcome.'),
    expected: z.enum(['unreachable', 'reachable']),
    result: z.enum(['unreachable', 'reachable', 'inconclusive']).describe('What is proved of the revision.'),
    why: z.string().optional(),
    witness: proposalSchema.optional().describe('On which the gate now gives the decision.'),
  })
  .meta({ id: 'Regression', description: 'An outcome that was proved, and is no longer.' })
export type Regression = z.infer<typeof regressionSchema>

/** In answers to revisions: what they break of the latest passing report about what was in force. */
export const regressionsSchema = z.array(regressionSchema).meta({
  description: 'Outcomes of the latest passing report about what was in force that hold no longer.',
  examples: [[]],
})
