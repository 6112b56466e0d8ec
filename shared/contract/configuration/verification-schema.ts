import { z } from 'zod'
import { proposalSchema, riskLevelSchema } from '../action/proposal-schema.ts'
import { decisionSchema } from '../action/verdict.ts'
import { warningsSchema } from '../base/errors.ts'
import { hashSchema, identifierSchema, tenantIdSchema, timestampSchema } from '../base/identifier.ts'
import { documentSchema, type JsonValue, jsonObjectSchema, jsonValueSchema } from '../base/json.ts'
import { limits } from '../base/limits.ts'
import { dotPathSchema } from './policy.ts'
import { authorSchema } from './tenant.ts'

/** A predicate on one parameter. All its keys must hold, and a missing parameter fails every comparison. */
export interface Where {
  equals?: JsonValue | undefined
  one_of?: JsonValue[] | undefined
  min?: number | undefined
  max?: number | undefined
  present?: boolean | undefined
  missing?: boolean | undefined
  /** The negation of a predicate. It holds for a missing parameter if the predicate does not match that. */
  not?: Where | undefined
}

export const whereSchema: z.ZodType<Where> = z
  .strictObject({
    equals: jsonValueSchema.optional().describe('The exact value, compared as canonical JSON.'),
    one_of: z.array(jsonValueSchema).max(limits.constraint_values_max).optional().describe('One of these.'),
    min: z.number().optional().describe('A number of at least this.'),
    max: z.number().optional().describe('A number of at most this.'),
    present: z.boolean().optional().describe('Whether it is there, be it null.'),
    missing: z.boolean().optional().describe('Whether it is not there.'),
    get not() {
      return whereSchema.optional()
    },
  })
  .meta({
    id: 'Where',
    description:
      'What a parameter is asked for; the keys combine with AND. `not` holds exactly where what is in it does not, a missing parameter included.',
  })

const outcomeNameSchema = z.string().min(1).max(limits.identifier_length_max)
const reversibilitySchema = z.enum(['reversible', 'compensatable', 'irreversible'])

/**
 * A set of proposals, and a decision that they must never get or must be able to get
 * (specification.md#verification-of-policies).
 */
export const outcomeQuerySchema = z
  .strictObject({
    name: outcomeNameSchema,
    description: z.string().max(limits.summary_length_max).optional(),
    decision: decisionSchema.default('allow'),
    system: identifierSchema.optional(),
    operation: identifierSchema.optional(),
    where: z
      .record(dotPathSchema, whereSchema)
      .optional()
      .describe('By parameter path; a proposal matches if all hold.'),
    claimed_risk: z
      .array(riskLevelSchema)
      .max(3)
      .optional()
      .describe('Only proposals that claim one of these.'),
    effective_risk: z
      .strictObject({ min: riskLevelSchema.optional(), max: riskLevelSchema.optional() })
      .optional()
      .describe('Bounds on the higher of the claim and the minimum of the catalog.'),
    effects_any: z
      .array(z.string().min(1).max(limits.identifier_length_max))
      .max(limits.catalog_effects_max)
      .optional()
      .describe('Only operations whose catalog entry has one of these effects.'),
    reversibility: z
      .union([reversibilitySchema, z.array(reversibilitySchema).max(3)])
      .optional()
      .describe('Only operations whose catalog entry says so.'),
    catalogued: z.boolean().optional().describe('Whether the operation has a catalog entry.'),
  })
  .meta({ id: 'OutcomeQuery', description: 'Proposals, and the decision that is asked about.' })
export type OutcomeQuery = z.infer<typeof outcomeQuerySchema>

export const gateModeSchema = z.enum(['strict', 'basic'])
export type GateMode = z.infer<typeof gateModeSchema>

const outcomeQueriesSchema = z.array(outcomeQuerySchema).max(limits.verify_outcomes_max)

/** The body of policies/verify and policy/verify (specification.md#verification-of-policies). */
export const verificationRequestSchema = z
  .strictObject({
    policy: documentSchema('Policy').optional(),
    catalog: documentSchema('Catalog').optional(),
    mode: gateModeSchema.optional().describe('That of the service where not given.'),
    forbidden: outcomeQueriesSchema.optional().describe('What no proposal may reach.'),
    required: outcomeQueriesSchema.optional().describe('What some proposal must be able to reach.'),
    bounds: z
      .strictObject({ max_steps: z.int().min(1).optional().describe('Capped by the service.') })
      .optional(),
  })
  .meta({
    id: 'VerificationRequest',
    title: 'Verification request',
    description:
      'Outcomes that are forbidden or required, and drafts to prove them of. Without outcomes, the built-in findings are looked for.',
  })
export type VerificationRequest = z.infer<typeof verificationRequestSchema>

/** The body of policies/verify. It must include a policy, because there is no tenant to take one from. */
export const draftVerificationSchema = verificationRequestSchema
  .extend({ policy: documentSchema('Policy') })
  .meta({
    id: 'DraftVerification',
    title: 'Draft verification',
    description: 'A policy, and outcomes to prove of it; nothing is stored.',
  })
export type DraftVerification = z.infer<typeof draftVerificationSchema>

export const boundHitSchema = z.strictObject({
  bound: z.enum(['outcomes', 'operations', 'paths', 'constants', 'depth', 'branches', 'steps', 'body']),
  limit: z.int(),
  at: z.string().describe('The outcome, operation or path where it was hit.'),
})
export type BoundHit = z.infer<typeof boundHitSchema>

export const boundsSchema = z.strictObject({
  forbidden: z.int(),
  operations: z.int(),
  paths: z.int(),
  constants: z.int(),
  depth: z.int(),
  branches: z.int(),
  steps: z.int(),
  hit: boundHitSchema.nullable().describe('The first that was hit.'),
})
export type Bounds = z.infer<typeof boundsSchema>

/** The result for one outcome (specification.md#verification-of-policies). */
export const outcomeAnswerSchema = z
  .strictObject({
    name: outcomeNameSchema,
    expected: z.enum(['unreachable', 'reachable']).describe('Forbidden or required.'),
    result: z.enum(['unreachable', 'reachable', 'inconclusive']),
    why: z.string().optional(),
    witness: proposalSchema.optional().describe('On which the gate gives the decision.'),
    decision: decisionSchema.optional(),
    admitted_by: z.array(z.string()).optional().describe('The clauses that decided it.'),
    fixture: jsonObjectSchema.optional().describe('A regression fixture for `service-policy-check`.'),
  })
  .meta({ id: 'OutcomeAnswer', description: 'What was proved of one outcome.' })
export type OutcomeAnswer = z.infer<typeof outcomeAnswerSchema>

export const exploredSchema = z.strictObject({
  systems: z.int(),
  operations: z.int(),
  paths: z.int(),
  classes: z.int(),
  replays: z.int(),
})
export type Explored = z.infer<typeof exploredSchema>

export const verificationResultSchema = z.enum(['verified', 'violated', 'inconclusive'])
export type VerificationResult = z.infer<typeof verificationResultSchema>

/** A stored report (specification.md#verification-of-policies). */
export const verificationReportSchema = z
  .strictObject({
    tenant_id: tenantIdSchema.describe('Whose policy it is about.'),
    report_id: z.string(),
    created_at: timestampSchema,
    author: authorSchema,
    engine: z.strictObject({ name: z.string(), version: z.string() }),
    subject: z.strictObject({
      kind: z.enum(['live', 'draft']),
      policy_revision: z.int().min(1).nullable(),
      policy_hash: hashSchema,
      catalog_revision: z.int().min(1).nullable(),
      catalog_hash: hashSchema.nullable(),
      mode: gateModeSchema,
    }),
    policy_hash: hashSchema,
    catalog_hash: hashSchema.nullable(),
    query_hash: hashSchema,
    bounds: boundsSchema,
    assumptions: z.array(z.string()).describe('What the proof takes for granted and leaves out.'),
    explored: exploredSchema,
    outcomes: z.array(outcomeAnswerSchema),
    warnings: warningsSchema,
    result: verificationResultSchema,
    report_hash: hashSchema,
    signature: jsonObjectSchema.nullable().describe('Where audit signing is configured.'),
  })
  .meta({
    id: 'VerificationReport',
    title: 'Verification report',
    description: 'What was proved of a policy, bound to the hashes of what it was proved of.',
  })
export type VerificationReport = z.infer<typeof verificationReportSchema>

/** The media type of a report's signed payload: the RFC 8785 text of the report without its hash and signature. */
export const reportPayloadType = 'application/vnd.action-gate.verification-report.v1+json'

export const reportBodySchema = verificationReportSchema.omit({ report_hash: true, signature: true })
export type ReportBody = z.infer<typeof reportBodySchema>

export const verificationSchema = reportBodySchema
  .omit({ tenant_id: true, report_id: true, created_at: true, author: true })
  .meta({
    id: 'Verification',
    title: 'Verification',
    description: 'What was proved of a draft; it is not stored.',
  })
export type Verification = z.infer<typeof verificationSchema>

export const boundReportSchema = verificationReportSchema
  .extend({
    live: z
      .boolean()
      .describe('Whether it is about what is in force now, as the service says: it is not signed.'),
    live_policy_binding: z.strictObject({
      status: z.enum([
        'current',
        'stale_policy',
        'stale_catalog',
        'stale_mode',
        'stale_engine',
        'draft_only',
      ]),
    }),
  })
  .meta({
    id: 'BoundReport',
    title: 'Bound report',
    description: 'A report, and how it stands to what is in force.',
  })
export type BoundReport = z.infer<typeof boundReportSchema>

export const verificationGateSchema = z
  .strictObject({
    required: z.boolean().describe('Whether a revision that breaks a passing report is refused.'),
  })
  .meta({
    id: 'VerificationGate',
    title: 'Verification gate',
    description: 'Whether revisions have to keep what was proved.',
  })
export type VerificationGate = z.infer<typeof verificationGateSchema>
