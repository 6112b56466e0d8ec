import { z } from 'zod'
import {
  actionIdSchema,
  hashSchema,
  identifierSchema,
  tenantIdSchema,
  timestampSchema,
} from '../base/identifier.ts'
import { jsonObjectSchema, jsonValueSchema } from '../base/json.ts'
import { limits } from '../base/limits.ts'
import { idempotencySchema } from '../configuration/actuator-schema.ts'
import { heldRouteSchema } from '../configuration/route-schema.ts'
import { actionOutcomeSchema, actionStatusSchema, approvalsSchema } from './action-status.ts'
import { principalSchema } from './audit.ts'
import { auditKeySchema, logOriginSchema, proofHashSchema } from './audit-log.ts'
import { commentsSchema } from './comment-schema.ts'
import { plannedRequestSchema } from './planned-request.ts'
import { recordedProposalSchema, riskLevelSchema } from './proposal-schema.ts'
import {
  actuatorResultSchema,
  decisionSchema,
  evaluationSchema,
  keyPrincipalSchema,
  reviewUrlSchema,
} from './verdict.ts'

/**
 * An event of the append-only trace as the service shows it (specification.md#events, specification.md#endpoints).
 */
export const traceEventSchema = z
  .strictObject({
    sequence: z.int().min(0),
    kind: z.string(),
    at: timestampSchema,
    principal: principalSchema,
    body: jsonObjectSchema.nullable().describe('What the event commits to; null where it was erased.'),
    leaf_hash: hashSchema,
  })
  .meta({ id: 'Event', title: 'Event', description: 'One entry of the append-only trace of an action.' })
export type TraceEvent = z.infer<typeof traceEventSchema>

export const recordedVerdictSchema = evaluationSchema
  .extend({
    principal: keyPrincipalSchema,
    proposal_hash: hashSchema,
    proposer_holder: z
      .string()
      .optional()
      .describe('Whose approval does not count; with `approvals_required` or `route`.'),
    route_hash: hashSchema.optional().describe('Of `route`: each decision of a person names it.'),
    actuator: z
      .strictObject({
        name: z.string(),
        kind: z.string(),
        tool_schema_hash: hashSchema.optional().describe('What the catalog commits to, where it does.'),
        idempotency: idempotencySchema
          .optional()
          .describe('What the catalog says of the key, where the operation does more than read.'),
      })
      .nullable(),
    request: plannedRequestSchema.optional().describe('What is approved with it; of a held action.'),
    request_hash: hashSchema.optional().describe('Of `request`: every attempt must come to the same.'),
    decide_within_ms: z
      .int()
      .optional()
      .describe('How long it waits for a person; with `needs_approval`, milliseconds.'),
    execute_within_ms: z
      .int()
      .optional()
      .describe(
        'For how long what has no effect is tried, where the catalog or the tenant says so; milliseconds.',
      ),
  })
  .meta({ id: 'RecordedVerdict', description: 'The verdict as it was recorded; nothing changes it later.' })
export type RecordedVerdict = z.infer<typeof recordedVerdictSchema>

export const approvalRecordSchema = z
  .strictObject({
    decision: z.enum(['approved', 'rejected', 'expired', 'cancelled', 'superseded']),
    principal: principalSchema,
    note: z.string().nullable(),
    at: timestampSchema,
  })
  .meta({ id: 'ApprovalRecord', description: 'How a held action was decided, and by whom.' })
export type ApprovalRecord = z.infer<typeof approvalRecordSchema>

export const executionRecordSchema = z
  .strictObject({
    outcome: z.enum(['ok', 'failed', 'retry', 'unknown']),
    attempt: z.int(),
    result: actuatorResultSchema.nullable(),
    error: z
      .strictObject({ code: z.string(), message: z.string(), body: jsonValueSchema.optional() })
      .nullable(),
    at: timestampSchema,
  })
  .meta({ id: 'ExecutionRecord', description: 'The last recorded outcome of an execution.' })
export type ExecutionRecord = z.infer<typeof executionRecordSchema>

/**
 * The state of the durable job. It changes only together with an event; only the time of the next look-up may
 * change alone.
 */
export const jobRecordSchema = z
  .strictObject({
    state: z.enum(['pending', 'leased', 'unknown', 'done']),
    attempt: z.int(),
    max_attempts: z.int().describe('Grows by one with every attempt that provably had no effect.'),
    next_run_at: timestampSchema,
    lease_owner: z.string().nullable(),
    last_error: z.string().nullable(),
  })
  .meta({ id: 'JobRecord', description: 'Current state of the durable execution job.' })

export const traceSchema = z
  .strictObject({
    action_id: actionIdSchema,
    tenant_id: tenantIdSchema,
    proposal: recordedProposalSchema,
    status: actionStatusSchema,
    verdict: recordedVerdictSchema,
    approval: approvalRecordSchema.nullable().describe('Null where nothing was held or it still is.'),
    approvals: approvalsSchema.optional(),
    comments: commentsSchema.optional(),
    review_url: reviewUrlSchema.optional(),
    outcome: actionOutcomeSchema.nullable().describe('Null until it ended, also where nobody knows how.'),
    execution: executionRecordSchema.nullable().describe('Null before the first outcome.'),
    job: jobRecordSchema.nullable().describe('Null where nothing is to be executed.'),
    audit_root: hashSchema.describe('Merkle root over the leaves of `events`.'),
    events: z.array(traceEventSchema),
    created_at: timestampSchema,
    updated_at: timestampSchema,
  })
  .meta({
    id: 'ActionTrace',
    title: 'Action trace',
    description: 'Everything that happened to an action: proposal, verdict, approval, execution and events.',
  })
export type Trace = z.infer<typeof traceSchema>

export const actionSummarySchema = z
  .strictObject({
    action_id: actionIdSchema,
    proposal_id: identifierSchema,
    status: actionStatusSchema,
    decision: decisionSchema,
    agent_id: z.string(),
    summary: z.string(),
    target_system: identifierSchema,
    operation: identifierSchema,
    effective_risk: riskLevelSchema,
    created_at: timestampSchema,
    updated_at: timestampSchema,
  })
  .meta({ id: 'ActionSummary', title: 'Action summary', description: 'An action as lists show it.' })
export type ActionSummary = z.infer<typeof actionSummarySchema>

export const heldActionSchema = z
  .strictObject({
    action_id: actionIdSchema,
    status: actionStatusSchema,
    proposal: recordedProposalSchema,
    verdict: recordedVerdictSchema,
    review_route: z.string(),
    review_url: reviewUrlSchema.optional(),
    approvals: approvalsSchema.optional(),
    route: heldRouteSchema.optional().describe('Where the verdict has a route.'),
    comments: commentsSchema.optional(),
    created_at: timestampSchema,
    expires_at: timestampSchema.describe('When it is denied unless somebody decides.'),
  })
  .meta({ id: 'HeldAction', title: 'Held action', description: 'A held action with all that was asked.' })
export type HeldAction = z.infer<typeof heldActionSchema>

/** The body of approve and reject. `approver` is allowed but ignored (specification.md#endpoints). */
export const decisionRequestSchema = z
  .strictObject({
    note: z.string().max(limits.note_length_max).optional().describe('Recorded with the decision.'),
    proposal_hash: hashSchema
      .optional()
      .describe('What the approver saw: where the action holds another proposal, nothing is approved.'),
    request_hash: hashSchema
      .optional()
      .describe('The same of what would be sent, as `verdict.request` shows it.'),
    approver: z
      .string()
      .max(limits.identifier_length_max)
      .optional()
      .describe('Not believed: the recorded approver is the authenticated principal.'),
  })
  .meta({
    id: 'DecisionRequest',
    title: 'Decision request',
    description: 'What may be said with an approval or a rejection.',
  })
export type DecisionRequest = z.infer<typeof decisionRequestSchema>

export const cancellationRequestSchema = z
  .strictObject({
    note: z.string().max(limits.note_length_max).optional().describe('Recorded with the cancellation.'),
  })
  .meta({
    id: 'CancellationRequest',
    title: 'Cancellation request',
    description: 'Why a held action is withdrawn.',
  })
export type CancellationRequest = z.infer<typeof cancellationRequestSchema>

/** The body of resolve: the finding of an operator and its evidence (specification.md#endpoints). */
export const resolutionRequestSchema = z
  .strictObject({
    outcome: z.enum(['executed', 'execution_failed']).describe('What became of the action.'),
    note: z.string().min(1).max(limits.note_length_max).describe('How it was found out.'),
    evidence: z
      .string()
      .min(1)
      .max(limits.note_length_max)
      .optional()
      .describe('Where the evidence is: a ticket, a transaction of the downstream.'),
    detail: jsonObjectSchema.optional().describe('The result, where it was executed.'),
  })
  .meta({
    id: 'ResolutionRequest',
    title: 'Resolution request',
    description: 'What an operator found out about an outcome that was unknown.',
  })
export type ResolutionRequest = z.infer<typeof resolutionRequestSchema>

export const standingSchema = z.strictObject({
  action_id: actionIdSchema,
  action_status: actionStatusSchema,
  audit_root: hashSchema,
})

export const resolutionResponseSchema = standingSchema.meta({
  id: 'ResolutionResponse',
  title: 'Resolution response',
  description: 'The action as it is settled now.',
})
export type ResolutionResponse = z.infer<typeof resolutionResponseSchema>

/**
 * The answer to approve and reject. `result` is present after the execution, `polling_url` only with status 202.
 */
export const decisionResponseSchema = z
  .strictObject({
    action_id: actionIdSchema,
    action_status: actionStatusSchema,
    approvals: approvalsSchema.optional(),
    result: actuatorResultSchema.optional().describe('Once executed.'),
    outcome: actionOutcomeSchema.optional().describe('Once it ended, also where nobody knows how.'),
    audit_root: hashSchema,
    trace: z.array(traceEventSchema),
    polling_url: z.string().optional().describe('Only with status 202: poll it; it is read-only.'),
  })
  .meta({
    id: 'DecisionResponse',
    title: 'Decision response',
    description: 'Where an action stands after it was approved or rejected.',
  })
export type DecisionResponse = z.infer<typeof decisionResponseSchema>

/** The audit export: events with salts and payloads, and the root (specification.md#audit-export). */
export const auditExportSchema = z
  .strictObject({
    integrity_version: z.enum(['canonical-signed-v1', 'canonical-unsigned-v1', 'legacy-v0']),
    tenant_id: tenantIdSchema,
    action_id: actionIdSchema,
    exported_at: timestampSchema,
    events: z
      .array(
        z.strictObject({
          event: z.string().describe('The exact text whose bytes are hashed into the leaf.'),
          salt: z.string().nullable().describe('Base64; null where the content was erased.'),
          payload: jsonObjectSchema.nullable().describe('What the event commits to; null where erased.'),
        }),
      )
      .describe('In order of their sequence, from 0.'),
    audit_root: hashSchema.describe('A convenience copy: the statement decides.'),
    statement: z.string().nullable().describe('Signed note that binds action, number of events and root.'),
    log: z.union([
      z.strictObject({ pending: z.literal(true) }),
      z.strictObject({
        origin: logOriginSchema.describe('First line of every checkpoint of the log.'),
        checkpoint: z.string().describe('Signed note: origin, size and root of the log.'),
        entries: z
          .array(z.strictObject({ index: z.int().min(0), proof: z.array(proofHashSchema) }))
          .describe('Place of each event in the log, with its inclusion proof under the checkpoint.'),
      }),
    ]),
    consistency: z
      .strictObject({ from_size: z.int().min(0), proof: z.array(proofHashSchema) })
      .optional()
      .describe('That the log continues the one of `from_size`, where that was asked.'),
    keys: z.array(auditKeySchema).describe('A hint only: who checks an export trusts keys from elsewhere.'),
    digest: hashSchema.describe(
      'Over all the rest of this document: tells damage, and proves nothing against forgery.',
    ),
  })
  .meta({
    id: 'AuditExport',
    title: 'Audit export',
    description: 'All that an auditor needs to recompute the root of an action without trusting the service.',
  })
export type AuditExport = z.infer<typeof auditExportSchema>

/** The body of erase (extension). The reason is kept after the content is erased. */
export const erasureRequestSchema = z
  .strictObject({
    reason: z.string().min(1).max(limits.note_length_max).describe('Recorded: name nobody in it.'),
  })
  .meta({
    id: 'ErasureRequest',
    title: 'Erasure request',
    description: 'Why the content of an action is erased.',
  })
export type ErasureRequest = z.infer<typeof erasureRequestSchema>

export const erasureResponseSchema = standingSchema.meta({
  id: 'ErasureResponse',
  title: 'Erasure response',
  description: 'The action, whose events and proofs stand without their content.',
})
export type ErasureResponse = z.infer<typeof erasureResponseSchema>
