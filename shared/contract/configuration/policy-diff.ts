import { z } from 'zod'
import { proposalSchema } from '../action/proposal-schema.ts'
import { decisionSchema } from '../action/verdict.ts'
import { identifierSchema } from '../base/identifier.ts'
import { documentSchema } from '../base/json.ts'
import { boundsSchema, exploredSchema, gateModeSchema } from './verification-schema.ts'

export const policyDiffRequestSchema = z
  .strictObject({
    policy: documentSchema('Policy').optional(),
    catalog: documentSchema('Catalog').optional(),
    mode: gateModeSchema.optional().describe('That of the service where not given.'),
  })
  .meta({
    id: 'PolicyDiffRequest',
    title: 'Policy diff request',
    description: 'Drafts that are compared with what is in force.',
  })

export const accessChangeSchema = z.strictObject({
  system: identifierSchema,
  operation: identifierSchema,
  unnamed: z.boolean().describe('Whether it stands for all that neither document names.'),
  before: decisionSchema,
  after: decisionSchema,
  everything: z
    .boolean()
    .describe('Whether it is proved that the side which denies, if one does, denies all of the operation.'),
  decided_before: z.array(z.string()).describe('The clauses that decided before.'),
  decided_after: z.array(z.string()).describe('The clauses that decide after.'),
  witness: proposalSchema.describe('Decided by the gate on both sides.'),
})
export type AccessChange = z.infer<typeof accessChangeSchema>

export const accessGroupSchema = z.strictObject({
  result: z.enum(['none', 'some', 'inconclusive']).describe('`none` is proved for every operation.'),
  why: z.string().optional().describe('Why it is inconclusive, or not known of other operations.'),
  total: z.int().describe('How many operations change so; not all are listed.'),
  changes: z.array(accessChangeSchema),
})
export type AccessGroup = z.infer<typeof accessGroupSchema>

/** The access that a draft adds and the access that it removes (specification.md#verification-of-policies). */
export const policyDiffSchema = z
  .strictObject({
    result: z.enum(['equivalent', 'different', 'inconclusive']),
    new_access: z.strictObject({
      deny_to_needs_approval: accessGroupSchema,
      deny_to_allow: accessGroupSchema,
      needs_approval_to_allow: accessGroupSchema,
    }),
    lost_access: z.strictObject({
      needs_approval_to_deny: accessGroupSchema,
      allow_to_deny: accessGroupSchema,
      allow_to_needs_approval: accessGroupSchema,
    }),
    approvals_required: z
      .strictObject({ before: z.int(), after: z.int() })
      .optional()
      .describe('Where they differ: how many approvals it takes to free what is held. Fewer is more access.'),
    explored: exploredSchema,
    bounds: boundsSchema,
    assumptions: z.array(z.string()),
  })
  .meta({
    id: 'PolicyDiff',
    title: 'Policy diff',
    description:
      'Which proposals get another decision, each kind of change with a witness or proved not to be.',
  })
export type PolicyDiff = z.infer<typeof policyDiffSchema>
