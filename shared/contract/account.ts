import { z } from 'zod'
import { isVisible, labelSchema, tenantIdSchema, timestampSchema, unseenIssue } from './base/identifier.ts'
import { limits } from './base/limits.ts'
import { integrationSchema } from './configuration/getting-started.ts'
import { apiKeySchema, secretSchema } from './configuration/tenant.ts'
import { sessionIdentitySchema } from './identity.ts'
import { grantsSchema, memberRoleSchema } from './role-schema.ts'

export const accountIdSchema = z
  .string()
  .regex(/^acc_[a-z2-7]{16}$/)
  .meta({ id: 'AccountId', description: 'Account identifier.', examples: ['acc_k7mq2r4xw6yz3abc'] })

/** An email address. It is lower-cased, so that comparisons ignore case. */
export const ownAddressSchema = z
  .string()
  .max(limits.email_length_max)
  .regex(/^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)+$/, 'must be an e-mail address')
  .refine(isVisible, unseenIssue)
  .meta({
    description: 'E-mail address; letters count alike in both cases.',
    examples: ['owner@example.org'],
  })
  .transform(text => text.toLowerCase())

export const newPasswordSchema = z
  .string()
  .min(limits.password_length_min)
  .max(limits.password_length_max)
  .meta({ description: 'Password, 12–200 characters.', examples: ['a long phrase nobody guesses'] })

const templateNameSchema = z
  .string()
  .max(limits.identifier_length_max)
  .meta({ description: 'Name of a policy template.', examples: ['support'] })

/** The body of sign-up (specification.md#hosted-accounts). */
export const signupRequestSchema = z
  .strictObject({
    email: ownAddressSchema,
    password: newPasswordSchema,
    organization: labelSchema.describe('Name of the organization.'),
    template: templateNameSchema.optional(),
  })
  .meta({ id: 'SignupRequest', title: 'Sign-up request', description: 'The account that is to be made.' })
export type SignupRequest = z.output<typeof signupRequestSchema>

/**
 * The body of log-in. It accepts any password up to the maximum, because an ill-formed password is only a wrong
 * one.
 */
export const loginRequestSchema = z
  .strictObject({
    email: ownAddressSchema,
    password: z
      .string()
      .max(limits.password_length_max)
      .meta({ examples: ['a long phrase nobody guesses'] }),
  })
  .meta({ id: 'LoginRequest', title: 'Log-in request', description: 'Who logs in.' })
export type LoginRequest = z.output<typeof loginRequestSchema>

export const logoutRequestSchema = z
  .strictObject({
    everywhere: z.boolean().default(false).describe('Whether every session of the account ends.'),
  })
  .meta({ id: 'LogoutRequest', title: 'Log-out request', description: 'Which sessions are to end.' })

export const passwordResetRequestSchema = z.strictObject({ email: ownAddressSchema }).meta({
  id: 'PasswordResetRequest',
  title: 'Password reset request',
  description: 'Who has forgotten a password.',
})

const resetTokenSchema = z
  .string()
  .max(limits.invitation_token_length_max)
  .meta({ description: 'What the link in the e-mail has behind the `#`.', examples: ['a'.repeat(43)] })

export const passwordResetReadRequestSchema = z.strictObject({ token: resetTokenSchema }).meta({
  id: 'PasswordResetReadRequest',
  title: 'Password reset to be read',
  description: 'The link that somebody holds.',
})

export const offeredPasswordResetSchema = z
  .strictObject({
    email: z.string().describe('Address that the e-mail went to.'),
    accounts: z
      .array(z.strictObject({ account_id: accountIdSchema, organization: z.string() }))
      .describe('Accounts of the address that have a password, each with the name of its organization.'),
    expires_at: timestampSchema,
  })
  .meta({
    id: 'OfferedPasswordReset',
    title: 'Offered password reset',
    description: 'What may be chosen anew by who holds the link.',
  })
export type OfferedPasswordReset = z.infer<typeof offeredPasswordResetSchema>

export const completePasswordResetRequestSchema = z
  .strictObject({ token: resetTokenSchema, account_id: accountIdSchema, password: newPasswordSchema })
  .meta({
    id: 'CompletePasswordResetRequest',
    title: 'Completed password reset',
    description: 'The new password of an account.',
  })
export type CompletePasswordResetRequest = z.output<typeof completePasswordResetRequestSchema>

export const accountSchema = z
  .strictObject({
    account_id: accountIdSchema,
    email: z.string().describe('Address, or what the issuer calls the person: a label, never looked up.'),
    created_at: timestampSchema,
  })
  .meta({ id: 'Account', title: 'Account', description: 'A person who manages applications.' })
export type Account = z.infer<typeof accountSchema>

export const organizationSchema = z
  .strictObject({ organization_id: z.string(), name: z.string() })
  .meta({ id: 'Organization', title: 'Organization', description: 'Whom the applications belong to.' })
export type Organization = z.infer<typeof organizationSchema>

export const ownedTenantSchema = z
  .strictObject({
    tenant_id: tenantIdSchema,
    name: z.string(),
    created_at: timestampSchema,
    roles: z.array(memberRoleSchema).describe('What the account of the session may do in it.'),
  })
  .meta({ id: 'OwnedTenant', title: 'Owned tenant', description: 'An application of the organization.' })
export type OwnedTenant = z.infer<typeof ownedTenantSchema>

/** The current session and its end. Every write requires the session's token (specification.md#authentication). */
export const sessionProfileSchema = z
  .strictObject({
    account: accountSchema,
    organization: organizationSchema,
    ...grantsSchema.shape,
    identity: sessionIdentitySchema
      .nullable()
      .describe('How the session was begun at an issuer; null with address and password.'),
    csrf_token: z.string().describe('For the header `X-Service-CSRF`; bound to the session.'),
    expires_at: timestampSchema.describe('When the session ends whatever happens.'),
    idle_expires_at: timestampSchema.describe('When it ends unless it is used before.'),
  })
  .meta({ id: 'SessionProfile', title: 'Session profile', description: 'Who is logged in, and until when.' })
export type SessionProfile = z.infer<typeof sessionProfileSchema>

const firstKey = { api_key: secretSchema, key: apiKeySchema, integration: integrationSchema }

/** The answer to sign-up. It omits the session, which is in the cookie `service_session`. */
export const signedUpSchema = sessionProfileSchema.extend({ tenant: ownedTenantSchema, ...firstKey }).meta({
  id: 'SignedUp',
  title: 'Signed up',
  description: 'A new account with its organization, its first application and the first agent key.',
})
export type SignedUp = z.infer<typeof signedUpSchema>

/** The body of POST /v1/accounts/tenants (specification.md#endpoints). */
export const ownedTenantRequestSchema = z
  .strictObject({ name: labelSchema.describe('What people call it.'), template: templateNameSchema })
  .meta({
    id: 'OwnedTenantRequest',
    title: 'Owned tenant request',
    description: 'The application that is to be made from a policy template.',
  })
export type OwnedTenantRequest = z.output<typeof ownedTenantRequestSchema>

export const ownedTenantCreatedSchema = z.strictObject({ tenant: ownedTenantSchema, ...firstKey }).meta({
  id: 'OwnedTenantCreated',
  title: 'Created owned tenant',
  description: 'A new application, its first agent key, and what to begin with.',
})
export type OwnedTenantCreated = z.infer<typeof ownedTenantCreatedSchema>
