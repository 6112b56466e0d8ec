import { z } from 'zod'
import { tenantIdSchema } from './base/identifier.ts'
import { limits } from './base/limits.ts'

/** The role of a member in an application (specification.md#members). */
export const memberRoleSchema = z
  .enum(['owner', 'policy_author', 'approver', 'auditor', 'operator'])
  .meta({ id: 'MemberRole', description: 'What a member may do in an application.' })
export type MemberRole = z.infer<typeof memberRoleSchema>

export const memberRoles = memberRoleSchema.options

/** Returns the role to record beside the name of a person who decides. For an owner it is always `owner`. */
export function decidingRole(roles: readonly MemberRole[]): MemberRole {
  return roles.includes('owner') ? 'owner' : 'approver'
}

/**
 * Roles that a key can have. Owner is excluded, because such a key could create keys and approve its own
 * proposals.
 */
export const keyRoles = memberRoleSchema.exclude(['owner']).options
export type KeyRole = (typeof keyRoles)[number]

/** Scopes of an operator's key: full access or read-only (specification.md#on-call-keys). */
export const adminScopes = ['admin', 'on_call'] as const
export type AdminScope = (typeof adminScopes)[number]

export const keyScopeSchema = z.enum(['agent', ...keyRoles, ...adminScopes])
export type KeyScope = z.infer<typeof keyScopeSchema>

export function isAdminScope(scope: string): boolean {
  return adminScopes.some(own => own === scope)
}

export function roleOfScope(scope: string): KeyRole | null {
  return keyRoles.find(role => role === scope) ?? null
}

const tenantRoleSchema = z
  .strictObject({ tenant_id: tenantIdSchema.describe('The application.'), role: memberRoleSchema })
  .meta({ id: 'TenantRole', description: 'A role in one application.' })
export type TenantRole = z.infer<typeof tenantRoleSchema>

export const grantsSchema = z.strictObject({
  owner: z
    .boolean()
    .describe('Whether they own the organization: every role in every application, and its members.'),
  roles: z.array(tenantRoleSchema).max(limits.member_roles_max).describe('Roles in single applications.'),
})
export type Grants = z.output<typeof grantsSchema>

export const invitationTokenSchema = z
  .string()
  .max(limits.invitation_token_length_max)
  .describe('What the link of the invitation ends with.')
  .meta({ examples: ['k3Jr0m3gJ1cR8v5yQm2Zt7wXo4Lb9nD6sFh0aUeKiPg'] })
