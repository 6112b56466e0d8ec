import { z } from 'zod'
import { actionIdSchema, hashSchema, identifierSchema } from '../base/identifier.ts'
import { type JsonObject, type JsonValue, jsonObjectSchema } from '../base/json.ts'
import { actionOutcomeSchema } from './action-outcome.ts'
import { actionStatusSchema } from './status.ts'
import { decisionSchema } from './verdict.ts'

/** A reason of a denial: the stable code and a text for a reader. */
export const toolReasonSchema = z.strictObject({ code: z.string(), message: z.string() })

/** The structured result of every tool of an operation (integrate.md#connect-an-mcp-client). */
export const toolResultSchema = z
  .strictObject({
    action_id: actionIdSchema,
    proposal_id: identifierSchema,
    status: actionStatusSchema,
    decision: decisionSchema,
    reasons: z.array(toolReasonSchema).describe('Why the policy denied it; empty otherwise.'),
    result: jsonObjectSchema.nullable().describe('What the actuator answered; null until it was executed.'),
    outcome: actionOutcomeSchema.nullable().describe('How the action ended; null while it goes on.'),
    message: z.string().describe('Where it stands and what to do next, for a reader.'),
    audit_root: hashSchema.describe('Merkle root over the events of the action so far.'),
  })
  .meta({
    id: 'ToolResult',
    title: 'Tool result',
    description: 'What an agent gets for a call of a tool, through MCP.',
  })
export type ToolResult = z.infer<typeof toolResultSchema>

/**
 * The same as a JSON Schema 2020-12 for a list of tools, where each tool has it once more: without references, texts and
 * bounds, and open to members that a later release adds.
 */
export const toolResultJsonSchema = plain(
  z.toJSONSchema(toolResultSchema, { unrepresentable: 'any' }) as Schema,
) as {
  type: 'object'
} & JsonObject

type Schema = z.core.JSONSchema.BaseSchema

function plain(schema: Schema, root = schema): JsonValue {
  const { $ref, type, enum: values, properties, required, items, anyOf } = schema
  if ($ref !== undefined) return plain(root.$defs?.[$ref.replace('#/$defs/', '')] as Schema, root)
  const shapes = Object.entries(properties ?? {}).map(([name, shape]) => [name, plain(shape as Schema, root)])
  return {
    ...(type ? { type } : {}),
    ...(values ? { enum: values as JsonValue[] } : {}),
    ...(properties ? { properties: Object.fromEntries(shapes) as JsonObject } : {}),
    ...(required ? { required } : {}),
    ...(items ? { items: plain(items as Schema, root) } : {}),
    ...(anyOf ? { anyOf: anyOf.map(one => plain(one as Schema, root)) } : {}),
  }
}
