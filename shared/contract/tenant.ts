import { z } from 'zod'
import { registeredActuatorSchema } from './actuator.ts'
import { hashSchema, identifierSchema, tenantIdSchema, timestampSchema } from './identifier.ts'
import { jsonObjectSchema } from './json.ts'
import { limits } from './limits.ts'
import { policySchema } from './policy.ts'
import { keyPrincipalSchema } from './verdict.ts'

const keyNameSchema = z.string().min(1).max(limits.key_name_length_max)

/** Metadata of an API key: never the secret or its hash (specification section 2). */
export const apiKeySchema = z.strictObject({
  key_id: z.string(),
  name: z.string(),
  scope: z.enum(['agent', 'approver', 'admin']),
  tenant_id: tenantIdSchema.nullable(),
  prefix: z.string(),
  revoked: z.boolean(),
  created: timestampSchema,
  expires_at: timestampSchema.nullable(),
})
export type ApiKey = z.infer<typeof apiKeySchema>

export const keyRequestSchema = z.strictObject({
  name: keyNameSchema,
  scope: z.enum(['agent', 'approver']).default('agent'),
  expires_at: z.iso.datetime({ offset: true }).nullable().optional(),
})
export type KeyRequest = z.infer<typeof keyRequestSchema>

export const keyIssuedSchema = z.strictObject({
  tenant_id: tenantIdSchema,
  api_key: z.string(),
  key: apiKeySchema,
})

/** Who made a revision: the authenticated principal, or the configuration file at start-up. */
export const authorSchema = z.union([keyPrincipalSchema, z.strictObject({ source: z.string() })])
export type Author = z.infer<typeof authorSchema>

/** A policy in normalized form as it is answered. */
export const normalizedPolicySchema = policySchema

export const policyStateSchema = z.strictObject({
  policy: normalizedPolicySchema,
  revision: z.int().min(1),
  policy_hash: hashSchema,
  created_at: timestampSchema,
  author: authorSchema,
  change_note: z.string().nullable(),
})
export type PolicyState = z.infer<typeof policyStateSchema>

/** Body of PUT policy: wrapped with a note, or the bare policy (specification section 4). */
export const policyChangeSchema = z.strictObject({
  policy: jsonObjectSchema,
  change_note: z.string().max(limits.change_note_length_max).optional(),
})

export const tenantRequestSchema = z
  .strictObject({
    tenant_id: tenantIdSchema,
    policy: jsonObjectSchema.optional(),
    template: z.string().max(limits.identifier_length_max).optional(),
    mock_actuators: z.array(identifierSchema).max(limits.actuators_per_tenant_max).optional(),
    key_name: keyNameSchema.optional(),
  })
  .refine(request => (request.policy === undefined) !== (request.template === undefined), {
    message: 'give either policy or template',
    path: ['policy'],
  })
export type TenantRequest = z.infer<typeof tenantRequestSchema>

export const tenantSchema = z.strictObject({
  tenant_id: tenantIdSchema,
  created_at: timestampSchema,
  policy: normalizedPolicySchema,
  policy_revision: z.int().min(1),
  policy_hash: hashSchema,
})
export type Tenant = z.infer<typeof tenantSchema>

export const tenantCreatedSchema = z.strictObject({
  tenant_id: tenantIdSchema,
  policy: normalizedPolicySchema,
  api_key: z.string(),
  key: apiKeySchema,
})

/** The configuration file of `--config` (specification section 1, contract section 7). */
export const configFileSchema = z.strictObject({
  tenants: z
    .array(
      z.strictObject({
        tenant_id: tenantIdSchema,
        mock_actuators: z.array(identifierSchema).max(limits.actuators_per_tenant_max).optional(),
        actuators: z.array(registeredActuatorSchema).max(limits.actuators_per_tenant_max).optional(),
        policy: policySchema,
      }),
    )
    .max(10_000),
})
export type ConfigFile = z.infer<typeof configFileSchema>
