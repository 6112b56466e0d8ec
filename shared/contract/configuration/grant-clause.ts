import { z } from 'zod'
import { riskLevelSchema } from '../action/proposal-schema.ts'
import { hashSchema, identifierSchema, timestampSchema } from '../base/identifier.ts'
import { limits } from '../base/limits.ts'
import { constraintSchema, dotPathSchema } from './policy.ts'

/** A grant's id. URL paths contain it. */
export const grantIdSchema = z
  .string()
  .regex(/^grt_[A-Za-z0-9_-]+$/, 'must be a grant id')
  .max(limits.identifier_length_max)
  .meta({ id: 'GrantId', description: 'Grant identifier.', examples: ['grt_01m7xt54nqk2ceee'] })

const constraintsSchema = z
  .record(dotPathSchema, constraintSchema)
  .refine(paths => Object.keys(paths).length > 0, {
    message: 'must bound one parameter at least',
    params: { code: 'unbounded_grant' },
  })
  .refine(paths => Object.keys(paths).length <= limits.grant_constraints_max, {
    message: `must bound ${limits.grant_constraints_max} parameters at most`,
    params: { code: 'too_many_bounds' },
  })
  .describe('By parameter path, beside what the policy asks; one at least.')

export const grantBounds = {
  key_id: z
    .string()
    .min(1)
    .max(limits.identifier_length_max)
    .describe('The agent key that the grant is for: the authenticated one, never a claim.'),
  system: identifierSchema,
  operation: identifierSchema,
  constraints: constraintsSchema,
  risk_max: riskLevelSchema.describe('The highest effective risk that it covers.'),
  uses_max: z
    .int()
    .min(1)
    .max(limits.grant_uses_max)
    .describe('How many proposals it allows, whatever becomes of them.'),
}

/**
 * The content of a grant. Each verdict that uses the grant records this copy (specification.md#bounded-grants).
 */
export const grantClauseSchema = z
  .strictObject({
    grant_id: grantIdSchema,
    ...grantBounds,
    ends_at: timestampSchema.describe('From then on it allows nothing.'),
    policy_hash: hashSchema.describe('Of the policy that it was proved under: it rests under any other.'),
    catalog_hash: hashSchema
      .nullable()
      .describe('Of the catalog that it was proved under; null where there was none.'),
    registration_hash: hashSchema
      .optional()
      .describe(
        'Of how the operation was registered when it was proved: it rests where that is otherwise. Not in grants from before 2026-11-28.',
      ),
  })
  .meta({
    id: 'GrantClause',
    description: 'What a grant allows without a person, and under which documents.',
  })
export type GrantClause = z.infer<typeof grantClauseSchema>

export const usedGrantSchema = z
  .strictObject({
    clause: grantClauseSchema,
    clause_hash: hashSchema.describe('Of `clause`: the event that made the grant names it.'),
    use: z.int().min(1).max(limits.grant_uses_max).describe('Which use of the grant it was, from 1.'),
  })
  .meta({ id: 'UsedGrant', description: 'The grant that allowed what would have been held.' })
export type UsedGrant = z.infer<typeof usedGrantSchema>
