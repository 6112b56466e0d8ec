import { z } from 'zod'
import { actionIdSchema, hashSchema, tenantIdSchema, timestampSchema } from '../base/identifier.ts'
import { actionStatusSchema } from './action-status.ts'
import { eventKindSchema, principalSchema } from './audit.ts'

export const proofHashSchema = z
  .string()
  .regex(/^[A-Za-z0-9+/]{43}=$/)
  .meta({ description: 'A hash in base64.', examples: ['bjQLnP+zepicpUTmu3gKLHiQHT+zNzh2hRGjBhevoB0='] })

export const logOriginSchema = z
  .string()
  .regex(/^[^\s+]{1,200}\/log\/log_[0-9a-z]{1,64}$/)
  .meta({ examples: ['gate.example.org/log/log_k3v7qz2mw4x5ya6b'] })

export const logIdSchema = z
  .string()
  .regex(/^log_[0-9a-z]{1,64}$/)
  .meta({ examples: ['log_k3v7qz2mw4x5ya6b'] })

const logSizeSchema = z.int().min(0).nullable()

/** A public key that signs, or once signed, the audit log (specification.md#audit-keys). */
export const auditKeySchema = z
  .strictObject({
    key_id: z
      .string()
      .regex(/^[0-9a-f]{8}$/)
      .meta({ description: 'As signatures name it.', examples: ['3df1a4c2'] }),
    name: z.string(),
    status: z
      .enum(['next', 'active', 'retired', 'compromised'])
      .describe('`next` signs beside the active key, and takes over from it.'),
    vkey: z.string().describe('The one line that a verifier is given.'),
    spki_pem: z.string(),
    jwk: z.strictObject({ kty: z.literal('OKP'), crv: z.literal('Ed25519'), x: z.string() }),
    added_at: timestampSchema,
    ended_at: timestampSchema.nullable(),
    first_log_size: logSizeSchema.describe('Of the log asked about, the first size it signed; null: none.'),
    last_log_size: logSizeSchema.describe('The last one so far; final once the key is retired.'),
  })
  .meta({ id: 'AuditKey', title: 'Audit key', description: 'A public key that signs or signed audits.' })
export type AuditKey = z.infer<typeof auditKeySchema>

export const auditKeyListSchema = z
  .strictObject({
    log_id: logIdSchema
      .nullable()
      .describe('Of the log that the sizes are of; null where none was asked about, or there is none such.'),
    keys: z.array(auditKeySchema).describe('The oldest first.'),
  })
  .meta({ id: 'AuditKeyList', title: 'Audit keys', description: 'Every key that ever signed audits.' })

export type AuditKeyList = z.infer<typeof auditKeyListSchema>

/** The events of an action, each with an inclusion proof in the file format C2SP tlog-proof. */
export const tlogProofsSchema = z
  .strictObject({
    tenant_id: tenantIdSchema,
    action_id: actionIdSchema,
    origin: logOriginSchema.nullable().describe('Null where the log has not taken up every event yet.'),
    proofs: z.array(
      z.strictObject({
        sequence: z.int().min(0),
        event: z.string().describe('The exact text whose bytes are hashed into the leaf.'),
        proof: z.string().describe('C2SP tlog-proof.'),
      }),
    ),
  })
  .meta({
    id: 'TlogProofs',
    title: 'Log proofs',
    description: 'The events of an action with proofs that other programs read.',
  })
export type TlogProofs = z.infer<typeof tlogProofsSchema>

export const logCheckpointSchema = z
  .strictObject({
    origin: logOriginSchema,
    size: z.int().min(0),
    checkpoint: z.string().describe('Signed note (C2SP tlog-checkpoint).'),
    signed_at: timestampSchema,
    consistency: z.array(proofHashSchema).nullable().describe('From `from_size`, where that was given.'),
  })
  .meta({
    id: 'LogCheckpoint',
    title: 'Log checkpoint',
    description: 'How far the log of a tenant has come.',
  })
export type LogCheckpoint = z.infer<typeof logCheckpointSchema>

/** A page of log entries in order. All entries up to a size let anybody compute the root for that size. */
export const logEntriesSchema = z
  .strictObject({
    size: z.int().min(0).describe('Of the log at its latest checkpoint.'),
    entries: z.array(
      z.strictObject({
        index: z.int().min(0),
        stream: z.string().describe('`config`, or `action/` and the action id.'),
        sequence: z.int().min(0),
        leaf_hash: hashSchema,
      }),
    ),
    next_from: z.int().min(1).nullable().describe('`from` of the next page; null at the end.'),
  })
  .meta({ id: 'LogEntries', title: 'Log entries', description: 'What stands in the log of a tenant.' })
export type LogEntries = z.infer<typeof logEntriesSchema>

/** A proof that an entry is in a log of a given size. A checkpoint signs the root of that log. */
export const inclusionSchema = z
  .strictObject({
    index: z.int().min(0),
    size: z.int().min(1),
    leaf_hash: hashSchema,
    proof: z.array(proofHashSchema).describe('From the leaf upwards (RFC 9162).'),
    checkpoint: z.string().nullable().describe('Signed note of exactly this size, where there is one.'),
  })
  .meta({ id: 'LogInclusion', title: 'Log inclusion', description: 'Proof that an entry is in a log.' })
export type LogInclusion = z.infer<typeof inclusionSchema>

/**
 * The `data` of a stream event for a new leaf of the tenant's log. The event's id is the leaf's index, so that
 * `Last-Event-ID` continues without a gap. The event carries no content; clients read the content from the
 * endpoints.
 */
export const streamedLeafSchema = z
  .strictObject({
    index: z.int().min(0).describe('Place in the log of the tenant; also the id of the event.'),
    stream: z.enum(['action', 'config']).describe('What it belongs to.'),
    action_id: actionIdSchema.nullable().describe('Null for the configuration.'),
    kind: eventKindSchema,
    status: actionStatusSchema.nullable().describe('The status the event led to, where it changed it.'),
    at: timestampSchema,
    principal: principalSchema,
  })
  .meta({
    id: 'StreamedLeaf',
    title: 'Streamed leaf',
    description: 'An audit event as the live stream names it, without its content.',
  })
export type StreamedLeaf = z.infer<typeof streamedLeafSchema>
