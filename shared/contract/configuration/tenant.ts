import { z } from 'zod'
import { keyPrincipalSchema, ownerPrincipalSchema, regressionsSchema } from '../action/verdict.ts'
import { warningsSchema } from '../base/errors.ts'
import {
  hashSchema,
  identifierSchema,
  instantSchema,
  tenantIdSchema,
  timestampSchema,
  visibleText,
} from '../base/identifier.ts'
import { documentSchema } from '../base/json.ts'
import { limits } from '../base/limits.ts'
import { operatorPrincipalSchema } from '../operator-schema.ts'
import { adminScopes, keyRoles, keyScopeSchema } from '../role-schema.ts'
import { registeredActuatorSchema } from './actuator-schema.ts'
import { integrationSchema } from './getting-started.ts'
import { constraintSchema, dotPathSchema, policySchema } from './policy.ts'

/**
 * The name of the person who holds a key. Approvals by keys of one name count once, because one person holds them.
 */
export const keyNameSchema = visibleText(z.string().min(1).max(limits.key_name_length_max)).describe(
  'Whose key it is; every character of it can be seen.',
)
export const changeNoteSchema = z
  .string()
  .max(limits.change_note_length_max)
  .optional()
  .describe('Why: it is recorded with the revision.')

/**
 * The metadata of an API key. It never includes the secret or its hash
 * (specification.md#identifiers-keys-and-time).
 */
export const apiKeySchema = z
  .strictObject({
    key_id: z.string(),
    name: z.string(),
    scope: keyScopeSchema,
    tenant_id: tenantIdSchema.nullable(),
    prefix: z.string().describe('Same as `key_id`.'),
    revoked: z.boolean(),
    created: timestampSchema,
    expires_at: timestampSchema.nullable(),
  })
  .meta({
    id: 'ApiKey',
    title: 'API key',
    description: 'Metadata of an API key: never its secret or the hash of it.',
  })
export type ApiKey = z.infer<typeof apiKeySchema>

export const keyRequestSchema = z
  .strictObject({
    name: keyNameSchema,
    scope: z
      .enum(['agent', ...keyRoles])
      .default('agent')
      .describe('Whether it is an agent’s, or which role it carries (specification.md#keys-of-roles).'),
    expires_at: instantSchema.nullable().optional(),
    same_holder_as: z
      .string()
      .max(limits.identifier_length_max)
      .optional()
      .describe(
        'Id of another key of the tenant that the same person holds, revoked or not: of approvals by both, one counts (extension). Keys of one name have one holder anyway.',
      ),
  })
  .meta({ id: 'KeyRequest', title: 'Key request', description: 'The key that is to be minted.' })
export type KeyRequest = z.infer<typeof keyRequestSchema>

export const secretSchema = z.string().meta({
  description: 'The full secret, `<key_id>.<secret>`: shown this once, never recoverable.',
  examples: ['agk_mk7l2cixren6w72w.THE-SECRET-IS-SHOWN-ONCE'],
})

export const keyIssuedSchema = z
  .strictObject({
    tenant_id: tenantIdSchema,
    api_key: secretSchema,
    key: apiKeySchema,
    integration: integrationSchema
      .nullable()
      .describe('What to begin with; null for a key that neither proposes nor decides.'),
    warnings: warningsSchema.describe('Names of other keys of the tenant that this one may be taken for.'),
  })
  .meta({ id: 'KeyIssued', title: 'Issued key', description: 'A new key, and what to begin with.' })

export const adminKeyRequestSchema = z
  .strictObject({
    name: keyNameSchema,
    scope: z
      .enum(adminScopes)
      .default('admin')
      .describe(
        '`admin` may everything; `on_call` reads and changes nothing (specification.md#on-call-keys).',
      ),
    expires_at: instantSchema.nullable().optional(),
  })
  .meta({
    id: 'AdminKeyRequest',
    title: 'Admin key request',
    description: 'The admin key that is to be minted.',
  })
export type AdminKeyRequest = z.infer<typeof adminKeyRequestSchema>

export const adminKeyIssuedSchema = z
  .strictObject({ api_key: secretSchema, key: apiKeySchema })
  .meta({ id: 'AdminKeyIssued', title: 'Issued admin key', description: 'A new key of an operator.' })

export const adminKeyRevocationSchema = z
  .strictObject({
    allow_last: z
      .boolean()
      .default(false)
      .describe('Whether the last key that works and does not expire may be revoked.'),
  })
  .meta({
    id: 'AdminKeyRevocation',
    title: 'Admin key revocation',
    description: 'Whether nobody is left with an admin key on purpose.',
  })

export const authorSchema = z
  .union([
    keyPrincipalSchema,
    ownerPrincipalSchema,
    operatorPrincipalSchema,
    z.strictObject({ source: z.string() }),
  ])
  .meta({
    id: 'Author',
    description: 'Who made a revision: the authenticated principal, or the source that start-up read.',
  })
export type Author = z.infer<typeof authorSchema>

/** Returns true if the author belongs to the tenant rather than to the operator of the service. */
export function isOfTenant(author: Author): boolean {
  return 'tenant_id' in author && author.tenant_id !== null
}

export const normalizedPolicySchema = policySchema
  .required()
  .extend({
    parameter_constraints: z.record(
      identifierSchema,
      z.record(identifierSchema, z.record(dotPathSchema, constraintSchema.required({ required: true }))),
    ),
    approvals_required: policySchema.shape.approvals_required,
  })
  .meta({
    id: 'NormalizedPolicy',
    title: 'Normalized policy',
    description:
      'A policy with its defaults written out and its sets sorted and without repetition; `approvals_required` is left out where it is 1.',
  })

export const policyStateSchema = z
  .strictObject({
    policy: normalizedPolicySchema,
    revision: z.int().min(1),
    policy_hash: hashSchema.describe('Over the canonical JSON of `policy`.'),
    catalog_hash: hashSchema.nullable().describe('The catalog in force when the revision was made.'),
    created_at: timestampSchema,
    author: authorSchema,
    change_note: z
      .string()
      .nullable()
      .meta({ description: 'Why it was made.', examples: ['Refunds above 50 are for people.'] }),
  })
  .meta({
    id: 'PolicyRevision',
    title: 'Policy revision',
    description: 'An immutable numbered revision of a policy.',
  })
export type PolicyState = z.infer<typeof policyStateSchema>

export const restoredPolicySchema = policyStateSchema.extend({ regressions: regressionsSchema }).meta({
  id: 'RestoredPolicy',
  title: 'Restored policy',
  description: 'The policy in force again, and what it breaks of what was proved.',
})

export const changedPolicySchema = policyStateSchema
  .extend({ warnings: warningsSchema, regressions: regressionsSchema })
  .meta({
    id: 'ChangedPolicy',
    title: 'Changed policy',
    description:
      'The policy in force after a change, what is odd about it, and what it breaks of what was proved.',
  })

/** The answer of policies/validate (specification.md#endpoints). */
export const policyValidationSchema = z
  .strictObject({
    valid: z.literal(true),
    policy: normalizedPolicySchema,
    policy_hash: hashSchema.describe('The hash that a revision of it would have.'),
    warnings: warningsSchema,
  })
  .meta({
    id: 'PolicyValidation',
    title: 'Policy validation',
    description: 'A valid policy in normalized form.',
  })

export const policyRollbackSchema = z
  .strictObject({
    revision: z.int().min(1).max(limits.revision_max).describe('Whose content is to be in force again.'),
    change_note: changeNoteSchema,
  })
  .meta({
    id: 'PolicyRollback',
    title: 'Policy rollback',
    description: 'An old revision whose content becomes a new one.',
  })

/** The body of PUT policy: the bare policy, or the policy and a note (specification.md#endpoints). */
export const policyChangeSchema = z
  .strictObject({
    policy: documentSchema('Policy'),
    change_note: changeNoteSchema,
  })
  .meta({ id: 'PolicyChange', title: 'Policy change', description: 'A policy and why it is changed.' })

const approvalTtlSchema = z
  .int()
  .min(1_000)
  .max(limits.approval_ttl_ms_max)
  .optional()
  .meta({
    description:
      'How long an action may be held for approval; `SERVICE_APPROVAL_TTL_MS` where not given. Milliseconds.',
    examples: [86_400_000],
  })

export const executeWithinSchema = z
  .int()
  .min(1_000)
  .max(limits.execute_within_ms_max)
  .optional()
  .meta({
    description:
      'For how long after its first attempt an action is tried again while nothing happened: that of the catalog entry, else of the tenant, else `SERVICE_EXECUTE_WITHIN_MS`. Milliseconds.',
    examples: [600_000],
  })

export const tenantRequestSchema = z
  .strictObject({
    tenant_id: tenantIdSchema,
    policy: documentSchema('Policy').optional(),
    template: z
      .string()
      .max(limits.identifier_length_max)
      .optional()
      .meta({ description: 'Name of a policy template.', examples: ['support'] }),
    catalog: documentSchema('Catalog').optional(),
    mock_actuators: z.array(identifierSchema).max(limits.actuators_per_tenant_max).optional(),
    key_name: keyNameSchema.optional(),
    approval_ttl_ms: approvalTtlSchema,
    execute_within_ms: executeWithinSchema,
    verification_gate: z
      .boolean()
      .optional()
      .describe('Whether a revision that breaks a passing verification report is refused (extension).'),
  })
  .refine(request => (request.policy === undefined) !== (request.template === undefined), {
    message: 'give either policy or template',
    params: { code: 'policy_or_template' },
    path: ['policy'],
  })
  .meta({
    id: 'TenantRequest',
    title: 'Tenant request',
    description: 'The tenant that is to be created, with either `policy` or `template`.',
    oneOf: [
      { required: ['policy'], properties: { policy: true } },
      { required: ['template'], properties: { template: true } },
    ],
  })
export type TenantRequest = z.infer<typeof tenantRequestSchema>

export const tenantSchema = z
  .strictObject({
    tenant_id: tenantIdSchema,
    created_at: timestampSchema,
    policy: normalizedPolicySchema,
    policy_revision: z.int().min(1),
    policy_hash: hashSchema,
  })
  .meta({ id: 'Tenant', title: 'Tenant', description: 'An isolated application and its policy in force.' })
export type Tenant = z.infer<typeof tenantSchema>

export const tenantCreatedSchema = z
  .strictObject({
    tenant_id: tenantIdSchema,
    policy: normalizedPolicySchema,
    api_key: secretSchema,
    key: apiKeySchema,
    integration: integrationSchema,
  })
  .meta({
    id: 'TenantCreated',
    title: 'Created tenant',
    description: 'A new tenant, its first agent key, and what to begin with.',
  })

/** The configuration file of `--config` (specification.md#modes-and-start-up). */
export const configFileSchema = z
  .strictObject({
    tenants: z
      .array(
        z.strictObject({
          tenant_id: tenantIdSchema,
          mock_actuators: z.array(identifierSchema).max(limits.actuators_per_tenant_max).optional(),
          actuators: z.array(registeredActuatorSchema).max(limits.actuators_per_tenant_max).optional(),
          approval_ttl_ms: approvalTtlSchema,
          execute_within_ms: executeWithinSchema,
          policy: policySchema,
        }),
      )
      .max(10_000)
      .describe('Tenants to bootstrap; one that exists already is left as it is.'),
  })
  .meta({
    id: 'ConfigFile',
    title: 'Configuration file',
    description: 'The file that `--config` names. It holds no keys: these are minted through the API.',
  })
export type ConfigFile = z.infer<typeof configFileSchema>
