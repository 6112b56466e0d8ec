import { z } from 'zod'
import { actionIdSchema, hashSchema, identifierSchema } from '../base/identifier.ts'
import { jsonObjectSchema } from '../base/json.ts'
import { limits } from '../base/limits.ts'
import { usedGrantSchema } from '../configuration/grant-clause.ts'
import { frozenRouteSchema } from '../configuration/route-schema.ts'
import { keyScopeSchema } from '../role-schema.ts'
import { actionOutcomeSchema, actionStatusSchema } from './action-status.ts'
import { commentsSchema } from './comment-schema.ts'
import { proposalSchema, riskLevelSchema } from './proposal-schema.ts'

export const decisionSchema = z.enum(['allow', 'needs_approval', 'deny']).meta({
  id: 'Decision',
  description:
    '`allow`: the service executes. `needs_approval`: stop and wait. `deny`: stop and show `blocking_reasons`.',
})
export type Decision = z.infer<typeof decisionSchema>

/**
 * One named check of the gate (specification.md#verdicts). `path` is relative to the proposal; null for the whole
 * proposal.
 */
export const checkSchema = z
  .strictObject({
    check: z.string(),
    outcome: z.enum(['pass', 'fail', 'skipped']),
    code: z.string().nullable().describe('Machine code where there is something to say.'),
    message: z.string(),
    path: z.string().nullable().describe('Place in the proposal; null for the whole.'),
  })
  .meta({ id: 'Check', description: 'One check that the gate made.' })
export type Check = z.infer<typeof checkSchema>

export const revisionReferenceSchema = z
  .strictObject({ revision: z.int().min(1), hash: hashSchema })
  .meta({ id: 'RevisionReference', description: 'The immutable revision that governed, and its hash.' })
export type RevisionReference = z.infer<typeof revisionReferenceSchema>

/** The part of a verdict that follows from the proposal and the rules alone (specification.md#the-gate). */
export const evaluationSchema = z.strictObject({
  decision: decisionSchema,
  review_route: z.string().nullable(),
  approvals_required: z
    .int()
    .min(2)
    .max(limits.approvals_required_max)
    .optional()
    .describe('How many different approvers it takes; with `needs_approval`, where it is more than one.'),
  route: frozenRouteSchema
    .optional()
    .describe('Whose approvals it takes; with `needs_approval`, where the tenant has the route.'),
  grant: usedGrantSchema
    .optional()
    .describe('What allowed it without a person; with `allow`, where it would have been held.'),
  blocking_reasons: z.array(z.string()).describe('`code: message` of every reason; empty unless denied.'),
  effective_risk: z.strictObject({
    level: riskLevelSchema,
    claimed: riskLevelSchema,
    raised_by: z.enum(['catalog']).nullable(),
  }),
  policy: revisionReferenceSchema,
  catalog: revisionReferenceSchema.nullable(),
  checks: z.array(checkSchema).describe('Every check of the gate, in order.'),
})
export type Evaluation = z.infer<typeof evaluationSchema>

export const keyPrincipalSchema = z
  .strictObject({
    key_id: z.string(),
    name: z.string(),
    scope: keyScopeSchema,
    tenant_id: z.string().nullable().describe('Null for an admin key.'),
  })
  .meta({ id: 'KeyPrincipal', description: 'The authenticated principal: whose API key it was.' })
export type KeyPrincipal = z.infer<typeof keyPrincipalSchema>

export const ownerPrincipalSchema = z
  .strictObject({
    account_id: z.string(),
    name: z.string().describe('E-mail address of the account.'),
    scope: z.literal('owner'),
    tenant_id: z.string(),
  })
  .meta({
    id: 'OwnerPrincipal',
    description: "The account of the tenant's owner, in a session of the dashboard.",
  })
export type OwnerPrincipal = z.infer<typeof ownerPrincipalSchema>

export const reviewUrlSchema = z
  .string()
  .describe('While it waits for a person: the page where they decide about it. Opening it decides nothing.')

export const auditReferenceSchema = z
  .strictObject({
    root: hashSchema.describe('Merkle root over the events of the action so far.'),
    event_count: z.int().min(1),
    url: z.string().describe('Where the audit export is.'),
  })
  .meta({ id: 'AuditReference', description: 'Where the action stands in the audit.' })

/** The result of an actuator: `ok` and the actuator's own detail (specification.md#endpoints). */
export const actuatorResultSchema = z.strictObject({ ok: z.boolean(), detail: jsonObjectSchema }).meta({
  id: 'ActuatorResult',
  description: 'What the actuator answered; a mock says `executed`, `target` and `dry_run`: true.',
})
export type ActuatorResult = z.infer<typeof actuatorResultSchema>

/** The verdict, which is the answer of POST /v1/actions (specification.md#verdicts). */
export const verdictSchema = evaluationSchema
  .omit({ review_route: true })
  .extend({
    action_id: actionIdSchema,
    proposal_id: identifierSchema,
    action_status: actionStatusSchema,
    review_route: z.string().optional().describe('Who decides; with `needs_approval`.'),
    polling_url: z
      .string()
      .optional()
      .describe('Only with status 202: poll it; it is read-only. Never perform the side effect yourself.'),
    review_url: reviewUrlSchema.optional(),
    comments: commentsSchema.optional(),
    principal: keyPrincipalSchema,
    audit: auditReferenceSchema,
    result: actuatorResultSchema.optional().describe('Once executed.'),
    outcome: actionOutcomeSchema.optional().describe('Once it ended, also where nobody knows how.'),
  })
  .meta({
    id: 'Verdict',
    title: 'Verdict',
    description: 'What the gate decided and where the action stands.',
  })
export type Verdict = z.infer<typeof verdictSchema>

/**
 * An outcome that a stored report proves for the present policy, but that the new revision breaks or leaves
 * unproved.
 */
export const regressionSchema = z
  .strictObject({
    report_id: z.string().describe('The report that passed.'),
    name: z.string().min(1).max(limits.identifier_length_max).describe('Of the outcome.'),
    expected: z.enum(['unreachable', 'reachable']),
    result: z.enum(['unreachable', 'reachable', 'inconclusive']).describe('What is proved of the revision.'),
    why: z.string().optional(),
    witness: proposalSchema.optional().describe('On which the gate now gives the decision.'),
  })
  .meta({ id: 'Regression', description: 'An outcome that was proved, and is no longer.' })
export type Regression = z.infer<typeof regressionSchema>

export const regressionsSchema = z.array(regressionSchema).meta({
  description: 'Outcomes of the latest passing report about what was in force that hold no longer.',
  examples: [[]],
})
