import { z } from 'zod'
import { labelSchema, timestampSchema } from './base/identifier.ts'
import { limits } from './base/limits.ts'
import { issuerNameSchema } from './configuration/issuer-schema.ts'
import { invitationTokenSchema } from './role-schema.ts'

/**
 * The sign-in of a session at an issuer. Each decision of the session records it
 * (specification.md#sign-in-elsewhere).
 */
export const sessionIdentitySchema = z
  .strictObject({
    issuer: z.string().describe('Address of the issuer, its `iss`.'),
    subject: z.string().describe('Who it is there, the `sub`.'),
    auth_time: timestampSchema.nullable().describe('When the person proved to the issuer who they are.'),
    acr: z.string().nullable().describe('How well, in the words of the issuer.'),
  })
  .meta({ id: 'SessionIdentity', description: 'Who signed in at an issuer, when and how well.' })
export type SessionIdentity = z.infer<typeof sessionIdentitySchema>

export const signInWaysSchema = z
  .strictObject({
    local: z.boolean().describe('Whether address and password begin a session.'),
    password_reset: z.boolean().describe('Whether a forgotten password is reset by e-mail.'),
    issuers: z
      .array(
        z.strictObject({
          name: issuerNameSchema,
          title: z.string().describe('What people call it.'),
          sign_up: z.boolean().describe('Whether somebody who is new may make an organization.'),
        }),
      )
      .describe('Where else people sign in.'),
  })
  .meta({ id: 'SignInWays', title: 'Ways to sign in', description: 'How a session may begin here.' })
export type SignInWays = z.infer<typeof signInWaysSchema>

export const beginSignInRequestSchema = z
  .strictObject({
    issuer: issuerNameSchema,
    organization: labelSchema
      .optional()
      .describe('Who is new there makes an account with an organization of this name.'),
    invitation: invitationTokenSchema
      .optional()
      .describe('Who is new there accepts this invitation, and becomes a member.'),
  })
  .meta({
    id: 'BeginSignInRequest',
    title: 'Sign-in elsewhere',
    description: 'Where somebody wants to sign in.',
  })
export type BeginSignInRequest = z.output<typeof beginSignInRequestSchema>

export const begunSignInSchema = z
  .strictObject({ authorization_url: z.string().describe('Address where the browser goes next.') })
  .meta({
    id: 'BegunSignIn',
    title: 'Begun sign-in',
    description: 'Where the person proves who they are; good once, for ten minutes, in this browser.',
  })

export const linkIdentityRequestSchema = z.strictObject({ issuer: issuerNameSchema }).meta({
  id: 'LinkIdentityRequest',
  title: 'Link to an issuer',
  description: 'Where the person of the session is known too.',
})

/** The body of POST /v1/accounts/sign-in/{issuer}/logout as issuers send it. Other members are ignored. */
export const logoutTokenRequestSchema = z
  .looseObject({
    logout_token: z
      .string()
      .max(limits.sign_in_parameters_length_max)
      .describe('What the issuer signed.')
      .meta({ examples: ['eyJhbGciOiJSUzI1NiJ9.e30.c2lnbmF0dXJl'] }),
  })
  .meta({
    id: 'LogoutTokenRequest',
    title: 'Logout at an issuer',
    description: 'That somebody left an issuer.',
  })

const linkedIdentity = {
  issuer: z
    .string()
    .max(500)
    .describe('Address of the issuer, its `iss`.')
    .meta({ examples: ['https://login.example.org'] }),
  subject: z
    .string()
    .max(255)
    .describe('Who it is there, the `sub`.')
    .meta({ examples: ['248289761001'] }),
}

export const linkedIdentitySchema = z.strictObject({ ...linkedIdentity, created_at: timestampSchema }).meta({
  id: 'LinkedIdentity',
  title: 'Linked identity',
  description: 'An identity by which an account is opened.',
})
export type LinkedIdentity = z.infer<typeof linkedIdentitySchema>

export const unlinkIdentityRequestSchema = z.strictObject(linkedIdentity).meta({
  id: 'UnlinkIdentityRequest',
  title: 'End of a link',
  description: 'The identity that is to open the account no more.',
})

export const completeSignInRequestSchema = z
  .strictObject({
    issuer: issuerNameSchema,
    parameters: z
      .string()
      .max(limits.sign_in_parameters_length_max)
      .describe('The query with which the issuer sent the browser back, as it came.'),
  })
  .meta({
    id: 'CompleteSignInRequest',
    title: 'End of a sign-in',
    description: 'What the issuer sent the browser back with.',
  })
export type CompleteSignInRequest = z.output<typeof completeSignInRequestSchema>
