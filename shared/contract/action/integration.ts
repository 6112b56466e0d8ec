import { z } from 'zod'
import { tenantIdSchema } from '../base/identifier.ts'
import { proposalSchema } from './proposal.ts'
import { revisionReferenceSchema } from './verdict.ts'

/** Everything an integrator needs to begin (specification.md#endpoints, GET /v1/integration). */
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
