import { z } from 'zod'
import { proposalSchema } from '../action/proposal.ts'
import { identifierSchema } from '../base/identifier.ts'
import { limits } from '../base/limits.ts'
import { policySchema } from './policy.ts'

/** A built-in starter policy (specification.md#endpoints). The description ends with how the policy decides the example. */
export const policyTemplateSchema = z
  .strictObject({
    name: identifierSchema,
    title: z.string().min(1),
    description: z.string().min(1),
    mock_actuators: z
      .array(identifierSchema)
      .max(limits.actuators_per_tenant_max)
      .describe('Mock actuators that go with the policy.'),
    policy: policySchema,
    example_proposal: proposalSchema,
  })
  .meta({
    id: 'PolicyTemplate',
    title: 'Policy template',
    description: 'A starter policy, with a proposal that it decides as the description says.',
  })
export type PolicyTemplate = z.infer<typeof policyTemplateSchema>
