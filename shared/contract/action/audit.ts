import { z } from 'zod'
import { timestampSchema } from '../base/identifier.ts'
import { keyScopeSchema } from '../role-schema.ts'

/**
 * The kinds of event in the stream of an action (specification.md#states); extensions are `partial_approval`,
 * `comment`, `change_request`, `supersession`, `escalation` and `erasure`.
 */
export const actionEventKindSchema = z.enum([
  'proposal_received',
  'verdict',
  'approval',
  'partial_approval',
  'rejection',
  'expiry',
  'cancellation',
  'comment',
  'change_request',
  'supersession',
  'escalation',
  'execution_attempt',
  'execution',
  'reconciliation',
  'erasure',
])
export type ActionEventKind = z.infer<typeof actionEventKindSchema>

/** The kinds of event in a tenant's stream `config` (specification.md#audit-bytes). */
export const configEventKindSchema = z.enum([
  'policy_revision',
  'catalog_revision',
  'actuators_revision',
  'key_issued',
  'key_revoked',
  'member_changed',
  'freeze',
  'unfreeze',
  'verification_report',
  'verification_gate',
  'signing_key_added',
  'signing_key_retired',
  'signing_key_compromised',
  'webhook_revision',
  'secret_revision',
  'secret_used',
  'tool_tested',
  'review_route',
  'review_group',
  'review_absence',
  'grant_made',
  'grant_revoked',
  'slack_app',
  'slack_link',
  'legacy_sealed',
])
export type ConfigEventKind = z.infer<typeof configEventKindSchema>

export const eventKindSchema = z
  .enum([...actionEventKindSchema.options, ...configEventKindSchema.options])
  .meta({ id: 'EventKind', description: 'What happened: to an action, or to the configuration of a tenant.' })
export type EventKind = z.infer<typeof eventKindSchema>

/** The authenticated principal that caused an event. A principal that a body claims is never recorded here. */
export const principalSchema = z
  .strictObject({
    id: z.string().min(1),
    kind: z.enum([...keyScopeSchema.options, 'owner', 'gate', 'worker', 'system']),
  })
  .meta({ id: 'Principal', description: 'Who caused an event, never what a body claims.' })
export type Principal = z.infer<typeof principalSchema>

const hexDigestSchema = z
  .string()
  .regex(/^[0-9a-f]{64}$/, 'must be 64 lower-case hexadecimal digits')
  .meta({ examples: ['ca5b29ff010c9c9a51a425ee96a9f3e3ac0a7357cf3b7066b45a5d303c763a60'] })

/** All members that an event's bytes may have (specification.md#audit-bytes). */
export const auditEventSchema = z
  .strictObject({
    v: z.literal(1),
    tenant_id: z.string().min(1),
    stream: z
      .string()
      .regex(/^(config|action\/.+)$/s, 'must be config or action/<action_id>')
      .describe('`config`, or `action/` and the action id.'),
    sequence: z.int().min(0).describe('Place in the stream, without gaps.'),
    kind: eventKindSchema,
    at: timestampSchema,
    principal: principalSchema,
    payload_commit: hexDigestSchema.describe('HMAC-SHA-256 over the canonical payload, keyed with its salt.'),
    prev: hexDigestSchema.nullable().describe('Leaf hash of the event before; null for the first.'),
  })
  .meta({
    id: 'AuditEvent',
    title: 'Audit event',
    description: 'The event whose canonical JSON is hashed into a leaf: `events[].event` of an audit export.',
  })
export type AuditEvent = z.infer<typeof auditEventSchema>
