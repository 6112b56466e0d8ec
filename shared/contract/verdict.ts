import { z } from 'zod'
import { actionIdSchema, hashSchema, identifierSchema } from './identifier.ts'
import { jsonObjectSchema } from './json.ts'
import { riskLevelSchema } from './risk.ts'
import { actionStatusSchema } from './status.ts'

export const decisionSchema = z.enum(['allow', 'needs_approval', 'deny'])
export type Decision = z.infer<typeof decisionSchema>

/** One named check of the gate (contract section 4); `path` is relative to the proposal, null for the whole. */
export const checkSchema = z.strictObject({
  check: z.string(),
  outcome: z.enum(['pass', 'fail', 'skipped']),
  code: z.string().nullable(),
  message: z.string(),
  path: z.string().nullable(),
})
export type Check = z.infer<typeof checkSchema>

export const revisionReferenceSchema = z.strictObject({ revision: z.int().min(1), hash: hashSchema })
export type RevisionReference = z.infer<typeof revisionReferenceSchema>

/** What the gate answers for a proposal: the part of a verdict that is a pure function (contract section 5). */
export const evaluationSchema = z.strictObject({
  decision: decisionSchema,
  review_route: z.string().nullable(),
  blocking_reasons: z.array(z.string()),
  effective_risk: z.strictObject({
    level: riskLevelSchema,
    claimed: riskLevelSchema,
    raised_by: z.enum(['catalog']).nullable(),
  }),
  policy: revisionReferenceSchema,
  catalog: revisionReferenceSchema.nullable(),
  checks: z.array(checkSchema),
})
export type Evaluation = z.infer<typeof evaluationSchema>

export const keyScopeSchema = z.enum(['agent', 'approver', 'admin'])
export const keyPrincipalSchema = z.strictObject({
  key_id: z.string(),
  name: z.string(),
  scope: keyScopeSchema,
  tenant_id: z.string().nullable(),
})
/** The authenticated principal behind an API key. */
export type KeyPrincipal = z.infer<typeof keyPrincipalSchema>

export const auditReferenceSchema = z.strictObject({
  root: hashSchema,
  event_count: z.int().min(1),
  url: z.string(),
})

/** Result of an actuator: `ok` and the actuator's own detail (specification section 4). */
export const actuatorResultSchema = z.strictObject({ ok: z.boolean(), detail: jsonObjectSchema })
export type ActuatorResult = z.infer<typeof actuatorResultSchema>

/** Verdict, the response of POST /v1/actions (contract section 4). */
export const verdictSchema = evaluationSchema.omit({ review_route: true }).extend({
  action_id: actionIdSchema,
  proposal_id: identifierSchema,
  action_status: actionStatusSchema,
  review_route: z.string().optional(),
  polling_url: z.string().optional(),
  principal: keyPrincipalSchema,
  audit: auditReferenceSchema,
  result: actuatorResultSchema.optional(),
})
export type Verdict = z.infer<typeof verdictSchema>
