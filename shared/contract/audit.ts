import { z } from 'zod'
import { timestampSchema } from './identifier.ts'

/** Kinds of event in the stream of an action (contract section 6). */
export const actionEventKindSchema = z.enum([
  'proposal_received',
  'verdict',
  'approval',
  'rejection',
  'expiry',
  'cancellation',
  'execution_attempt',
  'execution',
  'reconciliation',
])
export type ActionEventKind = z.infer<typeof actionEventKindSchema>

/** Kinds of event in a tenant's stream `config` (audit definitions section 3). */
export const configEventKindSchema = z.enum([
  'policy_revision',
  'catalog_revision',
  'actuators_revision',
  'key_issued',
  'key_revoked',
  'freeze',
  'unfreeze',
  'verification_report',
  'signing_key_added',
  'signing_key_retired',
  'signing_key_compromised',
  'legacy_sealed',
])
export type ConfigEventKind = z.infer<typeof configEventKindSchema>

export const eventKindSchema = z.enum([...actionEventKindSchema.options, ...configEventKindSchema.options])
export type EventKind = z.infer<typeof eventKindSchema>

/** Who caused an event: the authenticated principal, never what a body claims. */
export const principalSchema = z.strictObject({
  id: z.string().min(1),
  kind: z.enum(['agent', 'approver', 'admin', 'owner', 'gate', 'worker', 'system']),
})
export type Principal = z.infer<typeof principalSchema>

const hexDigestSchema = z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 lower-case hexadecimal digits')

/** The members an event's bytes consist of, all of them and no others (audit definitions section 3). */
export const auditEventSchema = z.strictObject({
  v: z.literal(1),
  tenant_id: z.string().min(1),
  stream: z.string().regex(/^(config|action\/.+)$/s, 'must be config or action/<action_id>'),
  sequence: z.int().min(0),
  kind: eventKindSchema,
  at: timestampSchema,
  principal: principalSchema,
  payload_commit: hexDigestSchema,
  prev: hexDigestSchema.nullable(),
})
export type AuditEvent = z.infer<typeof auditEventSchema>
