import { z } from 'zod'
import { accountIdSchema, accountSchema, newPasswordSchema, ownAddressSchema } from './account.ts'
import { labelSchema, timestampSchema } from './base/identifier.ts'
import { grantsSchema, invitationTokenSchema } from './role-schema.ts'

export const memberSchema = z
  .strictObject({ account: accountSchema, ...grantsSchema.shape })
  .meta({ id: 'Member', title: 'Member', description: 'A person of the organization, and what they may do.' })
export type Member = z.infer<typeof memberSchema>

export const memberRequestSchema = z.strictObject(grantsSchema.shape).meta({
  id: 'MemberRequest',
  title: 'Roles of a member',
  description: 'What the member may do from now on, all of it.',
})

export const invitationIdSchema = z
  .string()
  .regex(/^inv_[a-z2-7]{16}$/, 'must be an invitation id')
  .meta({ id: 'InvitationId', description: 'Invitation identifier.', examples: ['inv_k7mq2r4xw6yz3abc'] })

export const invitationRequestSchema = z
  .strictObject({
    label: labelSchema.describe('Whom it is for, as people call them; nothing is sent there.'),
    ...grantsSchema.shape,
  })
  .meta({
    id: 'InvitationRequest',
    title: 'Invitation request',
    description: 'Who is to be invited, and what they may do.',
  })
export type InvitationRequest = z.output<typeof invitationRequestSchema>

export const invitationSchema = z
  .strictObject({
    invitation_id: invitationIdSchema,
    label: z.string().describe('Whom it is for.'),
    ...grantsSchema.shape,
    status: z
      .enum(['open', 'accepted', 'revoked', 'expired'])
      .describe('`open` until it is accepted once, is revoked, or ends.'),
    invited_by: accountIdSchema.describe('Who invited.'),
    accepted_by: accountIdSchema.nullable().describe('Who became a member by it; null before.'),
    created_at: timestampSchema,
    expires_at: timestampSchema.describe('When it ends unless it is accepted before.'),
  })
  .meta({ id: 'Invitation', title: 'Invitation', description: 'An invitation without its token.' })
export type Invitation = z.infer<typeof invitationSchema>

export const invitationMadeSchema = z
  .strictObject({
    invitation: invitationSchema,
    invitation_url: z
      .string()
      .describe('Link for the person who is invited: shown once, and good once. Whoever has it may use it.'),
  })
  .meta({ id: 'InvitationMade', title: 'New invitation', description: 'An invitation and its link.' })
export type InvitationMade = z.infer<typeof invitationMadeSchema>

export const invitationReadRequestSchema = z.strictObject({ token: invitationTokenSchema }).meta({
  id: 'InvitationReadRequest',
  title: 'Invitation to be read',
  description: 'The invitation that somebody holds.',
})

export const offeredInvitationSchema = z
  .strictObject({
    organization: z.string().describe('Name of the organization.'),
    label: z.string().describe('Whom it is for.'),
    owner: z.boolean().describe('Whether it makes an owner of the organization.'),
    roles: z
      .array(z.strictObject({ application: z.string(), role: grantsSchema.shape.roles.element.shape.role }))
      .describe('Roles, by the names of the applications.'),
    expires_at: timestampSchema,
  })
  .meta({
    id: 'OfferedInvitation',
    title: 'Offered invitation',
    description: 'What an open invitation offers to who holds its link.',
  })
export type OfferedInvitation = z.infer<typeof offeredInvitationSchema>

export const acceptInvitationRequestSchema = z
  .strictObject({ token: invitationTokenSchema, email: ownAddressSchema, password: newPasswordSchema })
  .meta({
    id: 'AcceptInvitationRequest',
    title: 'Accepted invitation',
    description: 'The account that is to be made of an invitation.',
  })
export type AcceptInvitationRequest = z.output<typeof acceptInvitationRequestSchema>

export const groupNameSchema = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,59}$/, 'must be 1 to 60 of a-z, 0-9 and -, and begin with no -')
  .meta({ id: 'GroupName', description: 'Name of a group.', examples: ['payments-leads'] })

export const groupMemberSchema = z.strictObject({
  account_id: accountIdSchema,
  email: z.string().describe('Address, or what an issuer calls the person.'),
  sources: z
    .array(z.enum(['hand', 'claim']))
    .describe('By what they are in it: an owner’s hand, or a claim of an issuer at their last sign-in.'),
})

export const groupSchema = z
  .strictObject({
    name: groupNameSchema,
    created_at: timestampSchema,
    members: z.array(groupMemberSchema).describe('Who is in it; nobody where the last one left.'),
  })
  .meta({ id: 'OrganizationGroup', title: 'Group', description: 'A group of people of the organization.' })
export type OrganizationGroup = z.infer<typeof groupSchema>

export const groupRequestSchema = z.strictObject({ name: groupNameSchema }).meta({
  id: 'OrganizationGroupRequest',
  title: 'Group request',
  description: 'The group that is to be made.',
})
