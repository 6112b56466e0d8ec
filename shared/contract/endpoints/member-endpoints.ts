import { z } from 'zod'
import { accountIdSchema, sessionProfileSchema } from '../account.ts'
import { warningsSchema } from '../base/errors.ts'
import {
  acceptInvitationRequestSchema,
  groupNameSchema,
  groupRequestSchema,
  groupSchema,
  invitationIdSchema,
  invitationMadeSchema,
  invitationReadRequestSchema,
  invitationRequestSchema,
  invitationSchema,
  memberRequestSchema,
  memberSchema,
  offeredInvitationSchema,
} from '../member-schema.ts'
import type { Endpoint } from './endpoint.ts'

const accountParams = z.strictObject({ account_id: accountIdSchema })
const groupParams = z.strictObject({ name: groupNameSchema })
const endedSchema = z.int().min(0).describe('How many sessions of theirs ended.')
const changedGroup = {
  200: {
    description: 'As it is now, here and in each application.',
    body: z.strictObject({ group: groupSchema, warnings: warningsSchema }),
  },
}

const ofOwner = { access: 'session', hosted: true, roles: ['owner'] } as const

/** Rows of the endpoint table for the members of an organization (specification.md#members). */
export const memberEndpoints = {
  list_members: {
    method: 'GET',
    path: '/v1/accounts/members',
    ...ofOwner,
    summary: 'Members of the organization, and what they may do.',
    answers: {
      200: {
        description: 'All of them, the oldest first.',
        body: z.strictObject({ members: z.array(memberSchema) }),
      },
    },
    errors: [],
  },
  change_member: {
    method: 'PUT',
    path: '/v1/accounts/members/{account_id}',
    ...ofOwner,
    summary: 'Give a member these roles and no others.',
    description:
      'An event in the configuration stream of each application says what changed there. Whoever loses a role loses their ' +
      'sessions, and the keys they hold that carry it.',
    params: accountParams,
    body: memberRequestSchema,
    answers: {
      200: {
        description: 'As the member is now.',
        body: z.strictObject({ member: memberSchema, ended: endedSchema }),
      },
    },
    errors: ['member_not_found', 'tenant_not_found', 'last_owner'],
  },
  remove_member: {
    method: 'POST',
    path: '/v1/accounts/members/{account_id}/remove',
    ...ofOwner,
    summary: 'End a membership, with every session and link of it, and the keys of roles that they hold.',
    description:
      'What the member did stays recorded under the account, which nothing opens any more. They leave every group; a route that ' +
      'lacks people by it is named in `warnings`.',
    params: accountParams,
    answers: {
      200: {
        description: 'Removed.',
        body: z.strictObject({ ended: endedSchema, warnings: warningsSchema }),
      },
    },
    errors: ['member_not_found', 'last_owner'],
  },
  list_invitations: {
    method: 'GET',
    path: '/v1/accounts/invitations',
    ...ofOwner,
    summary: 'Invitations of the organization, without their links.',
    answers: {
      200: {
        description: 'The newest 200; one that is over is forgotten after 30 days.',
        body: z.strictObject({ invitations: z.array(invitationSchema) }),
      },
    },
    errors: [],
  },
  invite_member: {
    method: 'POST',
    path: '/v1/accounts/invitations',
    ...ofOwner,
    summary: 'Invite somebody by a link, with the roles that they are to have.',
    description: 'The link is shown once, is good once, and ends after 72 hours. Nothing is sent.',
    body: invitationRequestSchema,
    answers: { 201: { description: 'The link.', body: invitationMadeSchema } },
    errors: ['tenant_not_found', 'too_many_members'],
  },
  revoke_invitation: {
    method: 'POST',
    path: '/v1/accounts/invitations/{invitation_id}/revoke',
    ...ofOwner,
    summary: 'Revoke an invitation; one that is over stays as it is.',
    params: z.strictObject({ invitation_id: invitationIdSchema }),
    answers: {
      200: { description: 'As it is now.', body: z.strictObject({ invitation: invitationSchema }) },
    },
    errors: ['invitation_not_found'],
  },
  read_invitation: {
    method: 'POST',
    path: '/v1/accounts/invitations/read',
    access: 'none',
    hosted: true,
    summary: 'What an invitation offers to whoever holds its link.',
    body: invitationReadRequestSchema,
    answers: { 200: { description: 'It is open.', body: offeredInvitationSchema } },
    errors: [
      'cross_site_request',
      'invitation_not_found',
      'invitation_used',
      'invitation_ended',
      'storage_unavailable',
    ],
  },
  accept_invitation: {
    method: 'POST',
    path: '/v1/accounts/invitations/accept',
    access: 'none',
    hosted: true,
    local: true,
    summary: 'Accept an invitation with a new account; begins a session.',
    description:
      'An account belongs to one organization, so a browser that is signed in is refused. With an identity of an issuer it is ' +
      'accepted by a sign-in that names it.',
    body: acceptInvitationRequestSchema,
    answers: { 201: { description: 'A member now.', body: sessionProfileSchema, headers: ['set-cookie'] } },
    errors: [
      'cross_site_request',
      'invitation_not_found',
      'invitation_used',
      'invitation_ended',
      'already_member',
      'account_conflict',
      'storage_unavailable',
    ],
  },
  list_groups: {
    method: 'GET',
    path: '/v1/accounts/groups',
    ...ofOwner,
    summary: 'Groups of the organization, and who is in them by what.',
    answers: {
      200: { description: 'All of them, by name.', body: z.strictObject({ groups: z.array(groupSchema) }) },
    },
    errors: [],
  },
  make_group: {
    method: 'POST',
    path: '/v1/accounts/groups',
    ...ofOwner,
    summary: 'Make a group with nobody in it, for every application.',
    description: 'A name is one group: it is refused where an application has a group of its own under it.',
    body: groupRequestSchema,
    answers: { 201: { description: 'Made.', body: z.strictObject({ group: groupSchema }) } },
    errors: ['group_conflict', 'too_many_groups'],
  },
  remove_group: {
    method: 'DELETE',
    path: '/v1/accounts/groups/{name}',
    ...ofOwner,
    summary: 'Delete a group that no route names; its people stay members.',
    params: groupParams,
    answers: { 200: { description: 'As it was.', body: z.strictObject({ group: groupSchema }) } },
    errors: ['group_not_found', 'group_in_use'],
  },
  add_group_member: {
    method: 'PUT',
    path: '/v1/accounts/groups/{name}/members/{account_id}',
    ...ofOwner,
    summary: 'Put a member into a group by hand.',
    params: groupParams.extend(accountParams.shape),
    answers: changedGroup,
    errors: ['group_not_found', 'member_not_found'],
  },
  remove_group_member: {
    method: 'DELETE',
    path: '/v1/accounts/groups/{name}/members/{account_id}',
    ...ofOwner,
    summary: 'Take a member out of a group; a claim may put them in again when they sign in.',
    params: groupParams.extend(accountParams.shape),
    answers: changedGroup,
    errors: ['group_not_found', 'member_not_found'],
  },
} as const satisfies Record<string, Endpoint>
