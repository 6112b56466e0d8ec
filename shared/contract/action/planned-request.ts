import { z } from 'zod'
import { authSchema, secretReferenceSchema } from '../base/http-auth.ts'
import { hashSchema } from '../base/identifier.ts'
import { jsonObjectSchema, jsonValueSchema } from '../base/json.ts'

/**
 * A header of a planned request. A secret appears by its name; a literal that looks like a secret appears as its
 * digest.
 */
const plannedHeaderSchema = z.union([
  z.string(),
  secretReferenceSchema,
  z.strictObject({ hidden: hashSchema }).describe('A value under the name of a credential: its digest.'),
])
export type PlannedHeader = z.infer<typeof plannedHeaderSchema>

const eachAttemptSchema = z
  .array(z.string())
  .optional()
  .describe('Templates that hold `{not_after}` or `{callback_url}`, which every attempt fills in anew.')

/**
 * The request that an actuator would send for a held action, by the actuator's registration when the action was
 * held. The approver decides about this request. Credentials are named but never shown, and headers that differ
 * per attempt are left out.
 */
export const plannedRequestSchema = z
  .discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('http'),
      method: z.string(),
      url: z.string(),
      headers: z.record(z.string(), plannedHeaderSchema).describe('As registered and filled in.'),
      auth: authSchema.nullable(),
      body: jsonValueSchema
        .optional()
        .describe('Sent as RFC 8785 text, or as `content` says; absent: no body.'),
      content: z
        .enum(['json', 'form', 'multipart', 'text'])
        .optional()
        .describe('How the body is written, where it is not JSON.'),
      each_attempt: eachAttemptSchema,
    }),
    z.strictObject({
      kind: z.literal('mcp'),
      server: jsonObjectSchema.describe('As registered.'),
      tool: z.string(),
      tool_schema_hash: hashSchema.nullable().describe('The definition that the tool must have.'),
      arguments: jsonObjectSchema,
    }),
    z.strictObject({ kind: z.literal('mock'), operation: z.string() }).describe('Nothing is sent.'),
    z
      .strictObject({ kind: z.literal('module'), name: z.string(), operation: z.string() })
      .describe(
        'Code of the workers is called with the parameters of the proposal; what it sends is not known.',
      ),
    z
      .strictObject({ kind: z.literal('none'), code: z.string(), message: z.string() })
      .describe('No request can be made: why. Approved, the action fails before any call.'),
  ])
  .meta({ id: 'PlannedRequest', description: 'What would be sent for a held action.' })
export type PlannedRequest = z.infer<typeof plannedRequestSchema>
