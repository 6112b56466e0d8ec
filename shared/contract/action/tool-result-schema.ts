import { z } from 'zod'
import { actionIdSchema, hashSchema, identifierSchema } from '../base/identifier.ts'
import { type JsonObject, type JsonValue, jsonObjectSchema } from '../base/json.ts'
import { actionOutcomeSchema, actionStatusSchema } from './action-status.ts'
import { decisionSchema, reviewUrlSchema } from './verdict.ts'

export const toolReasonSchema = z.strictObject({ code: z.string(), message: z.string() })

/** The structured result that every MCP tool returns (integrate.md#connect-an-mcp-client). */
export const toolResultSchema = z
  .strictObject({
    result: jsonObjectSchema.nullable().describe('What the actuator answered; null until it was executed.'),
    status: actionStatusSchema,
    message: z.string().describe('Where it stands and what to do next, for a reader.'),
    decision: decisionSchema,
    reasons: z.array(toolReasonSchema).describe('Why the policy denied it; empty otherwise.'),
    outcome: actionOutcomeSchema.nullable().describe('How the action ended; null while it goes on.'),
    review_url: reviewUrlSchema.optional(),
    action_id: actionIdSchema,
    proposal_id: identifierSchema,
    audit_root: hashSchema.describe('Merkle root over the events of the action so far.'),
  })
  .meta({
    id: 'ToolResult',
    title: 'Tool result',
    description: 'What an agent gets for a call of a tool, through MCP.',
  })
export type ToolResult = z.infer<typeof toolResultSchema>

/**
 * The tool result as a JSON Schema 2020-12 for tools/list. It omits texts, bounds and nested members, because the
 * list repeats it for every tool. It allows unknown members, so that later releases can add some.
 */
export const toolResultJsonSchema = plain(
  z.toJSONSchema(toolResultSchema, { unrepresentable: 'any' }) as Schema,
) as { type: 'object' } & JsonObject

type Schema = z.core.JSONSchema.BaseSchema

function plain(root: Schema): JsonValue {
  const resolve = (schema: Schema): Schema =>
    schema.$ref === undefined ? schema : resolve(root.$defs?.[schema.$ref.replace('#/$defs/', '')] as Schema)
  const member = (given: Schema): JsonObject => {
    const { type, enum: values, anyOf } = resolve(given)
    return {
      ...(type ? { type } : {}),
      ...(values ? { enum: values as JsonValue[] } : {}),
      ...(anyOf ? { anyOf: anyOf.map(one => member(one as Schema)) } : {}),
    }
  }
  const { properties = {}, required = [] } = resolve(root)
  const members = Object.entries(properties).map(([name, given]) => [name, member(given as Schema)])
  return { type: 'object', properties: Object.fromEntries(members) as JsonObject, required }
}
