import { z } from 'zod'
import { listedAccessSchema, operationAccessSchema } from '../access/access-schema.ts'
import { plannedRequestSchema } from '../action/planned-request.ts'
import { regressionsSchema } from '../action/verdict.ts'
import { issueSchema, warningsSchema } from '../base/errors.ts'
import { secretNameSchema } from '../base/http-auth.ts'
import { hashSchema, identifierSchema } from '../base/identifier.ts'
import { jsonObjectSchema, jsonValueSchema } from '../base/json.ts'
import { limits } from '../base/limits.ts'
import { registeredActuatorSchema } from './actuator-schema.ts'
import { catalogOperationSchema } from './catalog.ts'
import { downstreamFields } from './http-actuator-schema.ts'
import { mcpSettingsSchema } from './mcp-actuator-schema.ts'
import { changeNoteSchema } from './tenant.ts'

const urlSchema = z
  .string()
  .max(limits.template_length_max)
  .regex(/^https?:\/\/[^\s@]+$/, 'must be an http or https URL without a user')
  .refine(text => URL.canParse(text), { message: 'is not a URL', params: { code: 'invalid_url' } })

export const toolSourceSchema = z
  .discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('openapi'),
      text: z
        .string()
        .min(1)
        .max(limits.import_text_max)
        .describe('An OpenAPI 3.0 or 3.1 document, JSON or YAML. References stay inside it.'),
    }),
    z.strictObject({
      kind: z.literal('openapi_url'),
      url: urlSchema.describe('Fetched once, where the egress rules of the service admit it.'),
    }),
    z.strictObject({ kind: z.literal('mcp'), transport: mcpSettingsSchema.shape.transport }),
  ])
  .describe('An OpenAPI document, its address, or a Model Context Protocol server.')
export type ToolSource = z.infer<typeof toolSourceSchema>

export const toolImportSchema = z
  .strictObject({
    source: toolSourceSchema,
    system: identifierSchema.optional().describe('Name of the system; made of the title where not given.'),
    base_url: downstreamFields.url.optional().describe('Where it is called, whatever the document says.'),
    secrets: z
      .record(secretNameSchema, z.string().min(limits.secret_length_min).max(limits.secret_length_max))
      .optional()
      .describe(
        'Values of stored secrets that a server names and the tenant has not stored yet. They go to that server in this request alone, and nothing keeps them.',
      ),
    only: z
      .array(identifierSchema)
      .max(limits.policy_operations_max)
      .optional()
      .describe('The operations that are wanted, by name; all where not given. Others of the system stay.'),
  })
  .meta({ id: 'ToolImport', title: 'Tool import', description: 'A source of tools that is to be looked at.' })
export type ToolImport = z.infer<typeof toolImportSchema>

const toolOperationSchema = z.strictObject({
  operation: identifierSchema,
  entry: catalogOperationSchema.nullable().describe('In the catalog; null where it has none.'),
  access: operationAccessSchema,
  safe: z.boolean().describe('Whether a test call may be sent without being confirmed: it only reads data.'),
})
export type ToolOperation = z.infer<typeof toolOperationSchema>

const versionSchema = z.int().min(1).describe('Changes with everything that governs the tenant.')

/** The answer of tool-imports. The service stores none of it. */
export const toolProposalSchema = z
  .strictObject({
    system: identifierSchema,
    title: z.string(),
    source_digest: hashSchema.describe('Of the document, or of the definitions of the tools.'),
    version: versionSchema,
    actuator: registeredActuatorSchema.describe('As it would be registered.'),
    operations: z.array(
      toolOperationSchema.extend({
        access: operationAccessSchema.describe('Once it is applied and the policy allows the operation.'),
        weight: z
          .strictObject({ bytes: z.int(), tokens: z.int() })
          .describe(
            'Of its tool in `tools/list`: bytes of JSON, and about how many tokens of name, description and parameters a model is given.',
          ),
        allowed: z.boolean().describe('Whether the policy would allow it, if nobody changes that.'),
        source: z.string().describe('Method and path, or the name of the tool.'),
        changes: z
          .array(
            z.strictObject({
              code: z.enum(['new', 'schema', 'description', 'request', 'definition', 'review', 'gone']),
              message: z.string(),
            }),
          )
          .describe('What is otherwise than the tenant has it; empty: nothing.'),
        left_out: z.array(issueSchema).describe('Parameters that could not be closed, and the way out.'),
      }),
    ),
    refused: z
      .array(
        z.strictObject({ operation: z.string(), source: z.string(), code: z.string(), message: z.string() }),
      )
      .describe('Operations that could not be closed, and the way out.'),
    gone: z.array(z.string()).describe('Operations that the tenant has and the source no longer offers.'),
    denied: z
      .array(
        z.strictObject({
          system: identifierSchema,
          operations: z
            .array(identifierSchema)
            .nullable()
            .describe('By name; null: whatever is proposed for the system, since the policy lists none.'),
        }),
      )
      .describe(
        'What the policy allows now and would be denied: with the first catalog of a tenant every proposal needs an entry. Empty where there is a catalog.',
      ),
    credentials: z
      .array(z.strictObject({ name: z.string(), source: z.enum(['workers', 'tenant']), message: z.string() }))
      .describe(
        'What the downstream asks for: `workers`, a variable of theirs; `tenant`, a secret that is to be stored.',
      ),
    warnings: warningsSchema,
  })
  .meta({ id: 'ToolProposal', title: 'Tool proposal', description: 'What an import would make of a source.' })
export type ToolProposal = z.infer<typeof toolProposalSchema>

export const toolSummarySchema = z.strictObject({
  system: identifierSchema,
  kind: z.string().nullable().describe('Of the actuator; null where there is none.'),
  address: z.string().nullable().describe('Where it is, or the name of its server.'),
  operations: z
    .strictObject({ allowed: z.int(), held: z.int(), denied: z.int(), open: z.int() })
    .describe('How many operations that something names have each answer.'),
  access: z
    .array(listedAccessSchema.omit({ system: true }))
    .describe('What comes of proposals for each operation, by name.'),
})
export type ToolSummary = z.infer<typeof toolSummarySchema>

const ownerMaySchema = z
  .enum(['change_all', 'change_at_its_places', 'narrow'])
  .describe(
    'What an owner may change of the registration: `narrow`, where it names means of the workers: remove operations and lower bounds; `change_at_its_places`, where the operator marked it so: all but where it goes and which means it names.',
  )
export type OwnerMay = z.infer<typeof ownerMaySchema>

export const toolSchema = z
  .strictObject({
    system: identifierSchema,
    version: versionSchema,
    actuator: registeredActuatorSchema.nullable().describe('Null: nothing is registered for the system.'),
    owner_may: ownerMaySchema,
    operations: z.array(toolOperationSchema),
    warnings: warningsSchema,
  })
  .meta({ id: 'Tool', title: 'Tool', description: 'All that a tenant has of one system.' })
export type ToolView = z.infer<typeof toolSchema>

/**
 * The body of PUT tools. It replaces the actuator, operations and permissions that the tenant has for the system.
 */
export const toolChangeSchema = z
  .strictObject({
    actuator: registeredActuatorSchema,
    operations: z.array(catalogOperationSchema).max(limits.policy_operations_max),
    allowed: z
      .array(identifierSchema)
      .max(limits.policy_operations_max)
      .optional()
      .describe('Operations that the policy allows; all of them where not given.'),
    expected_version: versionSchema.optional().describe('Refused where the tenant has changed since.'),
    change_note: changeNoteSchema,
  })
  .meta({
    id: 'ToolChange',
    title: 'Tool change',
    description: 'Actuator, catalog entries and allowed operations of one system: they change together.',
  })
export type ToolChange = z.infer<typeof toolChangeSchema>

export const changedToolSchema = z
  .strictObject({
    system: identifierSchema,
    version: versionSchema,
    policy_revision: z.int().min(1),
    catalog_revision: z.int().min(1).nullable(),
    warnings: warningsSchema,
    regressions: regressionsSchema,
  })
  .meta({ id: 'ChangedTool', title: 'Changed tool', description: 'The revisions in force after the change.' })
export type ChangedTool = z.infer<typeof changedToolSchema>

export const toolTestSchema = z
  .strictObject({
    operation: identifierSchema,
    parameters: jsonObjectSchema.default({}),
    confirm: z
      .boolean()
      .default(false)
      .describe('Whether an operation is called that may change something downstream.'),
  })
  .meta({ id: 'ToolTest', title: 'Tool test', description: 'An operation that is to be tried.' })
export type ToolTest = z.infer<typeof toolTestSchema>

export const toolTestedSchema = z
  .strictObject({
    test_id: z.string().nullable().describe('In the events `tool_tested`; null where nothing was called.'),
    request: plannedRequestSchema,
    sent: z
      .enum(['called', 'not_confirmed', 'frozen', 'outside_schema', 'no_worker', 'too_many'])
      .describe(
        'Or why it was not. `no_worker`: it needs a secret, a program or a module, and no live worker that has them took it. `too_many`: as many test calls of the tenant wait for workers as may.',
      ),
    verdict: z
      .strictObject({
        outcome: z
          .enum(['executed', 'accepted', 'failed', 'unknown', 'not_sent', 'busy'])
          .describe(
            'What an action would have come to, that it goes on downstream, or that nothing happened and it would be tried again.',
          ),
        rule: z.string().describe('The rule or the code that decided it.'),
        message: z.string(),
      })
      .nullable(),
    answer: z
      .strictObject({
        status: z.int().nullable(),
        headers: z.record(z.string(), z.string()),
        body: jsonValueSchema.describe('JSON, or text where it is none; secrets are hidden.'),
        truncated: z.boolean(),
      })
      .nullable()
      .describe('What the downstream answered; null where there is no complete answer.'),
    problems: z
      .array(issueSchema)
      .describe('Parameters outside the schema of the catalog, or what the live workers lack.'),
  })
  .meta({
    id: 'ToolTested',
    title: 'Tested tool',
    description: 'What a test call sent, and what came of it.',
  })
export type ToolTested = z.infer<typeof toolTestedSchema>

export const localHostSchema = z
  .strictObject({
    host: z
      .string()
      .regex(
        /^(?:localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}):[1-9]\d{0,4}$/,
        'must be localhost or 127.x.y.z, and a port',
      )
      .describe('Of this machine: name or address, and port.'),
  })
  .meta({
    id: 'LocalHost',
    title: 'Local host',
    description: 'A host of this machine that actuators may call.',
    examples: [{ host: 'localhost:3000' }],
  })
