import { z } from 'zod'
import { listedAccessSchema } from '../access/access-schema.ts'
import { proposalSchema } from '../action/proposal-schema.ts'
import { revisionReferenceSchema } from '../action/verdict.ts'
import { identifierSchema, tenantIdSchema } from '../base/identifier.ts'
import { limits } from '../base/limits.ts'
import { policySchema } from './policy.ts'

/**
 * A built-in starter policy (specification.md#endpoints). Its description ends with the decision that the policy's
 * example gets.
 */
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

/** The data that an integrator needs to start (specification.md#endpoints, GET /v1/integration). */
export const integrationSchema = z
  .strictObject({
    scope: z.enum(['agent', 'approver']).describe('Of the key.'),
    tenant_id: tenantIdSchema,
    policy: revisionReferenceSchema,
    endpoints: z
      .record(
        z.string(),
        z.strictObject({
          method: z.string(),
          url: z.string().describe('A template; a path where the service knows no address of its own.'),
        }),
      )
      .describe('What a key of this scope may call, by operation.'),
    operations: z
      .array(listedAccessSchema)
      .max(limits.integration_operations_max)
      .describe('What comes of proposals for each operation, by name; for the key of an agent, of its own.'),
    operations_left_out: z.int().min(0).describe('How many more there are.'),
    example_proposal: proposalSchema,
    snippets: z
      .strictObject({ curl: z.string(), typescript: z.string(), python: z.string() })
      .describe('Code that runs as printed, with the key in ACTION_GATE_KEY.'),
  })
  .meta({
    id: 'Integration',
    title: 'Integration bundle',
    description: 'Everything an integrator needs to begin: where to call, an example and code that runs.',
  })
export type Integration = z.infer<typeof integrationSchema>
