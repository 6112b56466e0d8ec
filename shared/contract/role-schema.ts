import { z } from 'zod'
import { tenantIdSchema } from './base/identifier.ts'
import { limits } from './base/limits.ts'

/** What a member of an organization may do in an application (specification.md#members). */
export const memberRoleSchema = z
  .enum(['owner', 'policy_author', 'approver', 'auditor', 'operator'])
  .meta({ id: 'MemberRole', description: 'What a member may do in an application.' })
export type MemberRole = z.infer<typeof memberRoleSchema>

export const memberRoles = memberRoleSchema.options

/** The role by which somebody decides, for beside their name: an owner needs no other one. */
export function decidingRole(roles: readonly MemberRole[]): MemberRole {
  return roles.includes('owner') ? 'owner' : 'approver'
}

/** Roles that a key of an application can carry. None is an owner: it would mint keys, and with them approve what it proposed. */
export const keyRoles = memberRoleSchema.exclude(['owner']).options
export type KeyRole = (typeof keyRoles)[number]

/** Scopes of a key of whoever runs the service: it may everything, or it reads (specification.md#on-call-keys). */
export const adminScopes = ['admin', 'on_call'] as const
export type AdminScope = (typeof adminScopes)[number]

/** A key is of an agent, of whoever runs the service, or carries a role of a member. */
export const keyScopeSchema = z.enum(['agent', ...keyRoles, ...adminScopes])
export type KeyScope = z.infer<typeof keyScopeSchema>

/** Whether a key is of whoever runs the service, and so of no tenant. */
export function isAdminScope(scope: string): boolean {
  return adminScopes.some(own => own === scope)
}

/** The role that a key of some scope carries; null for a key of an agent, or of whoever runs the service. */
export function roleOfScope(scope: string): KeyRole | null {
  return keyRoles.find(role => role === scope) ?? null
}

const tenantRoleSchema = z
  .strictObject({ tenant_id: tenantIdSchema.describe('The application.'), role: memberRoleSchema })
  .meta({ id: 'TenantRole', description: 'A role in one application.' })
export type TenantRole = z.infer<typeof tenantRoleSchema>

/** What a member may do: everything everywhere, or what each application says. */
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
