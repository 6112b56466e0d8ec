import { z } from 'zod'
import { actionIdSchema, identifierSchema } from '../base/identifier.ts'
import { isPlainObject, type JsonObject, type JsonValue, notAnObject, openObject } from '../base/json.ts'
import { limits } from '../base/limits.ts'
import { principalSchema } from './audit.ts'
import { callbackSchema } from './callback.ts'

export const riskLevels = ['low', 'medium', 'high'] as const
export const riskLevelSchema = z
  .enum(riskLevels)
  .meta({ id: 'RiskLevel', description: 'Risk, from low to high.' })
export type RiskLevel = z.infer<typeof riskLevelSchema>

export const riskRank: Readonly<Record<RiskLevel, number>> = { low: 0, medium: 1, high: 2 }

/** The parameters of a proposed operation: depth ≤ 32, ≤ 2,000 values in all (specification.md#proposals). */
export const parametersSchema = z
  .custom<JsonObject>(isPlainObject, notAnObject)
  .superRefine((parameters, context) => {
    const found = isPlainObject(parameters) ? parametersExcess(parameters) : null
    if (found) context.addIssue({ code: 'custom', ...found })
  })
  .meta({
    id: 'Parameters',
    ...openObject,
    description: `Any JSON object, at most ${limits.parameters_depth_max} levels deep and with at most ${limits.parameters_values_max} values in all.`,
    examples: [{ amount: 20, currency: 'EUR', order: { id: 'order-1001' }, reason: 'damaged' }],
  })

/** An action proposal, the body of POST /v1/actions (specification.md#proposals). */
export const proposalSchema = z
  .strictObject({
    proposal_id: identifierSchema.meta({
      description:
        'One per logical action: the same id with the same body returns the existing action, with other content it is a conflict.',
      examples: ['refund-1001'],
    }),
    actor: z
      .strictObject({
        agent_id: z.string().min(1).max(limits.identifier_length_max),
        run_id: z.string().min(1).max(limits.identifier_length_max).optional(),
      })
      .describe('A claim of the caller; the authoritative identity is that of the API key.'),
    summary: z.string().min(1).max(limits.summary_length_max).describe('What is asked, for a human reader.'),
    action: z.strictObject({
      target_system: identifierSchema.describe('Name of a registered actuator.'),
      operation: identifierSchema,
      parameters: parametersSchema,
      rollback_plan: z.string().max(limits.rollback_plan_length_max).optional(),
    }),
    risk: z
      .strictObject({
        level: riskLevelSchema,
        blast_radius: z.string().max(limits.blast_radius_length_max).optional(),
      })
      .describe('A claim of the caller; a reviewed catalog may raise the level.'),
    callback: callbackSchema.optional(),
  })
  .meta({
    id: 'Proposal',
    title: 'Action proposal',
    description: 'What an agent asks leave to do. Fields that are not listed are refused.',
  })

export type Proposal = z.infer<typeof proposalSchema>

/** The origin of an edited proposal. It is recorded and hashed with the proposal, and no request can set it. */
export const supersedesSchema = z
  .strictObject({
    action_id: actionIdSchema,
    editor: principalSchema,
    name: z.string().describe('Of the key or the account of the editor.'),
  })
  .meta({ id: 'Supersedes', description: 'The held action that a person edited, and who it was.' })
export type Supersedes = z.infer<typeof supersedesSchema>

export const recordedProposalSchema = proposalSchema
  .extend({ supersedes: supersedesSchema.optional() })
  .meta({
    id: 'RecordedProposal',
    title: 'Recorded proposal',
    description: 'What was proposed. With `supersedes`, a person edited what an agent had proposed.',
  })
export type RecordedProposal = z.infer<typeof recordedProposalSchema>

interface Excess {
  message: string
  params: { code: string }
}

function parametersExcess(root: JsonObject): Excess | null {
  let level: JsonValue[] = [root]
  let values = 0
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > limits.parameters_depth_max)
      return excess('too_deep', `is nested deeper than ${limits.parameters_depth_max} levels`)
    const below: JsonValue[] = []
    for (const value of level) values += gatherChildren(value, below)
    if (values > limits.parameters_values_max)
      return excess('too_many_values', `holds more than ${limits.parameters_values_max} values`)
    level = below
  }
  return null
}

function excess(code: string, message: string): Excess {
  return { message, params: { code } }
}

function gatherChildren(value: JsonValue, below: JsonValue[]): number {
  const children = Array.isArray(value) ? value : Object.values(value as JsonObject)
  for (const child of children) if (typeof child === 'object' && child !== null) below.push(child)
  return children.length
}
