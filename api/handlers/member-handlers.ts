import type { memberEndpoints } from '../../shared/contract/endpoints/member-endpoints.ts'
import { changeGroup, listGroups, makeGroup, removeGroup } from '../../shared/flow/account/groups.ts'
import {
  acceptInvitation,
  inviteMember,
  listInvitations,
  readInvitation,
  revokeInvitation,
} from '../../shared/flow/account/invitations.ts'
import { changeMember, listMembers, removeMember } from '../../shared/flow/account/members.ts'
import { cookiesOf, type Handlers } from './handler.ts'

export const memberHandlers: Handlers<typeof memberEndpoints> = {
  async list_members(context, { session }) {
    return { status: 200, body: { members: await listMembers(context, session) } }
  },
  async change_member(context, { session, params, body }) {
    return { status: 200, body: await changeMember(context, session, params.account_id, body) }
  },
  async remove_member(context, { session, params }) {
    return { status: 200, body: await removeMember(context, session, params.account_id) }
  },
  async list_invitations(context, { session }) {
    return { status: 200, body: { invitations: await listInvitations(context, session) } }
  },
  async invite_member(context, { session, body }) {
    return { status: 201, body: await inviteMember(context, session, body) }
  },
  async revoke_invitation(context, { session, params }) {
    const invitation = await revokeInvitation(context, session, params.invitation_id)
    return { status: 200, body: { invitation } }
  },
  async read_invitation(context, { body }) {
    return { status: 200, body: await readInvitation(context, body.token) }
  },
  async accept_invitation(context, { body, visitor }) {
    const { profile, ...tokens } = await acceptInvitation(context, body, visitor)
    return { status: 201, body: profile, cookies: cookiesOf(context, tokens) }
  },
  async list_groups(context, { session }) {
    return { status: 200, body: { groups: await listGroups(context, session) } }
  },
  async make_group(context, { session, body }) {
    return { status: 201, body: { group: await makeGroup(context, session, body.name) } }
  },
  async remove_group(context, { session, params }) {
    return { status: 200, body: { group: await removeGroup(context, session, params.name) } }
  },
  async add_group_member(context, { session, params }) {
    return { status: 200, body: await changeGroup(context, session, { ...params, isIn: true }) }
  },
  async remove_group_member(context, { session, params }) {
    return { status: 200, body: await changeGroup(context, session, { ...params, isIn: false }) }
  },
}
