import { z } from 'zod'
import { addedHeaders } from '../base/header-names.ts'
import { secretReferenceSchema, variableReferenceSchema } from '../base/http-auth.ts'
import { hashSchema, identifierSchema } from '../base/identifier.ts'
import { limits } from '../base/limits.ts'
import { downstreamFields, ownerMayChangeSchema } from './http-actuator-schema.ts'

export const mcpServerNameSchema = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/, 'must be a name of A-Z, a-z, 0-9, . _ -')

const stdioSchema = z
  .strictObject({
    type: z.literal('stdio'),
    server: mcpServerNameSchema.describe('Name of a server of `SERVICE_MCP_SERVERS`.'),
  })
  .describe(
    'A program that the worker starts and keeps: one of `SERVICE_MCP_SERVERS`, which has its arguments and environment.',
  )

/** User ids that the kernel accepts. The two highest 32-bit numbers have special meanings and are excluded. */
const userIdSchema = z.int().min(0).max(4_294_967_293)

/** A server as the operator of the workers configures it. A registration cannot add settings to it. */
export const mcpServerSchema = z.strictObject({
  command: z.string().min(1).max(limits.template_length_max),
  args: z.array(z.string().max(limits.template_length_max)).max(100).default([]),
  cwd: z
    .string()
    .max(limits.template_length_max)
    .regex(/^\//, 'must be an absolute path')
    .optional()
    .describe(
      'Directory in which it runs, absolute; where not given, an empty one of its own that ends with it.',
    ),
  user: z
    .strictObject({ uid: userIdSchema, gid: userIdSchema })
    .optional()
    .describe(
      'User as which it runs; a worker needs root for any but its own. Where not given, a worker that is root gives each program an unused user from 61184 to 65519.',
    ),
  calls_max: z
    .int()
    .min(1)
    .max(1_000)
    .optional()
    .describe(
      'Calls under way at once in one program; 8 where not given, and more start another. All of them are unknown when it dies.',
    ),
  env: z
    .record(
      z
        .string()
        .max(100)
        .regex(/^[A-Za-z_][A-Za-z0-9_]*$/),
      z.union([z.string().max(limits.template_length_max), variableReferenceSchema]),
    )
    .default({}),
})
export type McpServer = z.output<typeof mcpServerSchema>

const streamableHttpSchema = z
  .strictObject({
    type: z.literal('streamable_http'),
    url: downstreamFields.url,
    headers: addedHeaders(
      z.union([
        z
          .string()
          .max(limits.template_length_max)
          .regex(/^[ -~]*$/),
        secretReferenceSchema,
      ]),
    ).optional(),
    bearer: secretReferenceSchema.optional().describe('`Authorization: Bearer …`.'),
  })
  .describe('A server that is reached over HTTP.')

/**
 * Settings of an `mcp` actuator (specification.md#actuators). Each operation is one tool of a Model Context
 * Protocol server.
 */
export const mcpSettingsSchema = z
  .strictObject({
    transport: z.discriminatedUnion('type', [stdioSchema, streamableHttpSchema]),
    idempotency: z
      .enum(['key_honoured', 'none'])
      .optional()
      .describe(
        'Whether the server honours the key, which it finds as `io.action-gate/idempotency-key` in `_meta` of the call; `none` where not given.',
      ),
    key_retention_ms: downstreamFields.key_retention_ms,
    tools: z
      .record(
        identifierSchema,
        z.strictObject({
          tool: z
            .string()
            .min(1)
            .max(limits.identifier_length_max)
            .optional()
            .describe('Name; that of the operation where not given.'),
          tool_schema_hash: hashSchema
            .optional()
            .describe('Commitment to the definition of the tool, for operations whose catalog has none.'),
          error_means_nothing_done: z
            .boolean()
            .optional()
            .describe(
              'Whether an error that the tool answers proves that it had no effect; `false` where not given.',
            ),
        }),
      )
      .describe(
        'The tool of each operation, by its name; what is not here is refused before anything is sent.',
      ),
    confirm_ms: z
      .int()
      .min(0)
      .max(3_600_000)
      .optional()
      .describe(
        'For how long a definition that was read counts. Where not given: a minute over `stdio` where the server tells changes (`listChanged`), else for one call. Milliseconds.',
      ),
    timeout_ms: downstreamFields.timeout_ms,
    max_response_bytes: downstreamFields.max_response_bytes,
    owner_may_change: ownerMayChangeSchema,
  })
  .describe('One tool of a Model Context Protocol server for each operation.')
export type McpSettings = z.infer<typeof mcpSettingsSchema>
