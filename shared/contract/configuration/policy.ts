import { z } from 'zod'
import { riskLevelSchema } from '../action/proposal-schema.ts'
import { identifierSchema, visibleText } from '../base/identifier.ts'
import { jsonValueSchema } from '../base/json.ts'
import { limits } from '../base/limits.ts'

/** A constraint on one parameter (specification.md#policies). All its keys must hold, and bounds are inclusive. */
export const constraintSchema = z
  .strictObject({
    required: z.boolean().optional().describe('Whether the parameter must exist; true where not given.'),
    equals: jsonValueSchema.optional().describe('The exact value, compared as canonical JSON.'),
    one_of: z
      .array(jsonValueSchema)
      .min(1)
      .max(limits.constraint_values_max)
      .optional()
      .describe('Allowed values, compared as canonical JSON.'),
    min: z.number().optional().describe('Lowest number allowed.'),
    max: z.number().optional().describe('Highest number allowed.'),
  })
  .meta({
    id: 'Constraint',
    description:
      'Bound on one parameter. The keys combine with AND and must not contradict each other: a bound that nothing meets is refused.',
  })
export type Constraint = z.infer<typeof constraintSchema>

export const dotPathSchema = z
  .string()
  .max(limits.identifier_length_max)
  .regex(/^[^.]+(\.[^.]+)*$/, 'must be a dot path without empty segments')
  .meta({ description: 'Dot path below `action.parameters`.', examples: ['order.id'] })

/** A tenant's policy as its author writes it (specification.md#policies). */
export const policySchema = z
  .strictObject({
    allowed_systems: z
      .array(identifierSchema)
      .max(limits.policy_systems_max)
      .describe('Names of registered actuators that may be targeted.'),
    allowed_operations: z
      .record(identifierSchema, z.array(identifierSchema).max(limits.policy_operations_max))
      .optional()
      .describe(
        'By system: a system without an entry may run any operation, except in strict mode; an empty array allows none.',
      ),
    parameter_constraints: z
      .record(identifierSchema, z.record(identifierSchema, z.record(dotPathSchema, constraintSchema)))
      .optional()
      .describe('By system, operation and parameter path.'),
    approval_required_at: riskLevelSchema.describe(
      'Effective risk from which an action is held for approval.',
    ),
    approvals_required: z
      .int()
      .min(1)
      .max(limits.approvals_required_max)
      .optional()
      .describe(
        'How many different approvers it takes to free what is held (extension); 1 where not given. One rejection decides.',
      ),
    review_route: visibleText(z.string().min(1).max(limits.review_route_length_max)).describe(
      'Who decides what is held.',
    ),
  })
  .meta({
    id: 'Policy',
    title: 'Tenant policy',
    description: 'What a tenant may request. In answers it is normalized: defaults written out, sets sorted.',
  })
export type PolicyInput = z.infer<typeof policySchema>

export type NormalizedConstraint = Constraint & { required: boolean }

/** A tenant's policy in normalized form: defaults are written out, sets are sorted and without duplicates. */
export interface Policy {
  allowed_systems: string[]
  allowed_operations: Record<string, string[]>
  parameter_constraints: Record<string, Record<string, Record<string, NormalizedConstraint>>>
  approval_required_at: PolicyInput['approval_required_at']
  /** Absent if it is 1, so that older policies without this field keep their hash. */
  approvals_required?: number
  review_route: string
}
