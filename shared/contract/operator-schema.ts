import { z } from 'zod'
import { labelSchema, timestampSchema } from './base/identifier.ts'
import { issuerNameSchema } from './configuration/issuer-schema.ts'
import { sessionIdentitySchema } from './identity.ts'
import { adminScopes, invitationTokenSchema } from './role-schema.ts'

export const operatorIdSchema = z
  .string()
  .regex(/^opr_[a-z2-7]{16}$/)
  .meta({ id: 'OperatorId', description: 'Operator identifier.', examples: ['opr_k7mq2r4xw6yz3abc'] })

/** The role of an operator in the console: full access or read-only (specification.md#operators). */
export const operatorRoleSchema = z.enum(['operator', 'on_call']).meta({
  id: 'OperatorRole',
  description: '`operator` may what an admin key may; `on_call` reads and changes nothing.',
})
export type OperatorRole = z.infer<typeof operatorRoleSchema>

export const operatorPrincipalSchema = z
  .strictObject({
    operator_id: operatorIdSchema,
    name: z.string().describe('The label of the operator.'),
    scope: z.enum(adminScopes).describe('`admin`, or `on_call` for somebody who reads.'),
    tenant_id: z.null().describe('Operators belong to no tenant.'),
    identity: sessionIdentitySchema,
  })
  .meta({ id: 'OperatorPrincipal', description: 'An operator, signed in at an issuer.' })
export type OperatorPrincipal = z.infer<typeof operatorPrincipalSchema>

export const operatorSchema = z
  .strictObject({
    operator_id: operatorIdSchema,
    label: labelSchema.describe('Whom it is for, in the words of who invited; never looked up.'),
    role: operatorRoleSchema,
    status: z
      .enum(['invited', 'expired', 'active', 'removed'])
      .describe('`invited` until the link is used, `expired` where it was not.'),
    identity: z
      .strictObject({
        issuer: z.string().describe('Address of the issuer, its `iss`.'),
        subject: z.string().describe('Who it is there, the `sub`.'),
      })
      .nullable()
      .describe('Who signs in as the operator; null until somebody did.'),
    invited_by: z.string().describe('Id of the admin key or the operator.'),
    created_at: timestampSchema,
    invitation_expires_at: timestampSchema.describe('When the link ends.'),
  })
  .meta({ id: 'Operator', title: 'Operator', description: 'Somebody who may sign in to the console.' })
export type Operator = z.infer<typeof operatorSchema>

export const operatorRequestSchema = z
  .strictObject({ label: labelSchema.describe('Name or address: a label.'), role: operatorRoleSchema })
  .meta({ id: 'OperatorRequest', title: 'Invitation of an operator', description: 'Who is invited.' })
export type OperatorRequest = z.output<typeof operatorRequestSchema>

export const operatorInvitedSchema = z
  .strictObject({
    operator: operatorSchema,
    invitation_url: z
      .string()
      .describe('The link, shown this once: who opens it and signs in is the operator. It is good once.'),
  })
  .meta({ id: 'OperatorInvited', title: 'Invited operator', description: 'An operator, and the link.' })
export type OperatorInvited = z.infer<typeof operatorInvitedSchema>

export const operatorRoleRequestSchema = z
  .strictObject({ role: operatorRoleSchema })
  .meta({ id: 'OperatorRoleRequest', title: 'Role of an operator', description: 'The role from now on.' })

export const operatorSignInWaysSchema = z
  .strictObject({
    issuers: z
      .array(z.strictObject({ name: issuerNameSchema, title: z.string().describe('What people call it.') }))
      .describe('Where operators sign in; none: the sign-in is off.'),
  })
  .meta({ id: 'OperatorSignInWays', title: 'Ways into the console', description: 'Beside an admin key.' })
export type OperatorSignInWays = z.infer<typeof operatorSignInWaysSchema>

export const beginOperatorSignInSchema = z
  .strictObject({
    issuer: issuerNameSchema,
    invitation: invitationTokenSchema.optional().describe('Whoever signs in becomes the invited operator.'),
  })
  .meta({
    id: 'BeginOperatorSignIn',
    title: 'Sign-in of an operator',
    description: 'Where an operator wants to sign in.',
  })
export type BeginOperatorSignIn = z.output<typeof beginOperatorSignInSchema>

export const operatorSessionSchema = z
  .strictObject({
    operator: operatorPrincipalSchema,
    csrf_token: z.string().describe('What every write of the session shows in `X-Service-CSRF`.'),
    expires_at: timestampSchema.describe('When it ends whatever happens.'),
    idle_expires_at: timestampSchema.describe('When it ends unless it is used before.'),
  })
  .meta({ id: 'OperatorSession', title: 'Session of an operator', description: 'Who is signed in.' })
export type OperatorSession = z.infer<typeof operatorSessionSchema>
