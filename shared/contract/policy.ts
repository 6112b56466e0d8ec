import { z } from 'zod'
import { identifierSchema } from './identifier.ts'
import { jsonValueSchema } from './json.ts'
import { limits } from './limits.ts'
import { riskLevelSchema } from './risk.ts'

/** A bound on one parameter (specification section 2); keys combine with AND, bounds are inclusive. */
export const constraintSchema = z.strictObject({
  required: z.boolean().optional(),
  equals: jsonValueSchema.optional(),
  one_of: z.array(jsonValueSchema).min(1).max(limits.constraint_values_max).optional(),
  min: z.number().optional(),
  max: z.number().optional(),
})
export type Constraint = z.infer<typeof constraintSchema>

const dotPathSchema = z
  .string()
  .max(limits.identifier_length_max)
  .regex(/^[^.]+(\.[^.]+)*$/, 'must be a dot path without empty segments')

/** Tenant policy as it is written (specification section 2, contract section 5). */
export const policySchema = z.strictObject({
  allowed_systems: z.array(identifierSchema).max(limits.policy_systems_max),
  allowed_operations: z
    .record(identifierSchema, z.array(identifierSchema).max(limits.policy_operations_max))
    .optional(),
  parameter_constraints: z
    .record(identifierSchema, z.record(identifierSchema, z.record(dotPathSchema, constraintSchema)))
    .optional(),
  approval_required_at: riskLevelSchema,
  review_route: z.string().min(1).max(limits.review_route_length_max),
})
export type PolicyInput = z.infer<typeof policySchema>

/** Normalized constraint: `required` is written out. */
export type NormalizedConstraint = Constraint & { required: boolean }

/** Tenant policy in normalized form: defaults written out, sets sorted and de-duplicated. */
export interface Policy {
  allowed_systems: string[]
  allowed_operations: Record<string, string[]>
  parameter_constraints: Record<string, Record<string, Record<string, NormalizedConstraint>>>
  approval_required_at: PolicyInput['approval_required_at']
  review_route: string
}
