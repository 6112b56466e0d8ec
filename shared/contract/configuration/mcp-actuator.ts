import { z } from 'zod'
import { secretReferenceSchema } from '../base/credentials.ts'
import { hashSchema, identifierSchema } from '../base/identifier.ts'
import { limits } from '../base/limits.ts'
import { downstreamFields } from './http-actuator.ts'

/** Name of a server that whoever runs the workers configured. */
export const mcpServerNameSchema = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/, 'must be a name of A-Z, a-z, 0-9, . _ -')

const stdioSchema = z
  .strictObject({
    type: z.literal('stdio'),
    server: mcpServerNameSchema.describe('Name of a server of `SERVICE_MCP_SERVERS`.'),
  })
  .describe(
    'A server that the worker starts for each call: one of `SERVICE_MCP_SERVERS`, which has its program, arguments and environment.',
  )

/** A server as whoever runs the workers configures it: no registration adds to it. */
export const mcpServerSchema = z.strictObject({
  command: z.string().min(1).max(limits.template_length_max),
  args: z.array(z.string().max(limits.template_length_max)).max(100).default([]),
  env: z
    .record(
      z
        .string()
        .max(100)
        .regex(/^[A-Za-z_][A-Za-z0-9_]*$/),
      z.union([z.string().max(limits.template_length_max), secretReferenceSchema]),
    )
    .default({}),
})
export type McpServer = z.output<typeof mcpServerSchema>

const streamableHttpSchema = z
  .strictObject({
    type: z.literal('streamable_http'),
    url: downstreamFields.url,
    headers: z
      .record(
        z
          .string()
          .max(100)
          .regex(/^[A-Za-z][A-Za-z0-9-]*$/),
        z.union([
          z
            .string()
            .max(limits.template_length_max)
            .regex(/^[ -~]*$/),
          secretReferenceSchema,
        ]),
      )
      .optional(),
    bearer: secretReferenceSchema.optional().describe('`Authorization: Bearer …`.'),
  })
  .describe('A server that is reached over HTTP.')

/** Settings of an `mcp` actuator (specification.md#actuators): each operation is one tool of a Model Context Protocol server. */
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
    timeout_ms: downstreamFields.timeout_ms,
    max_response_bytes: downstreamFields.max_response_bytes,
  })
  .describe('One tool of a Model Context Protocol server for each operation.')
export type McpSettings = z.infer<typeof mcpSettingsSchema>
