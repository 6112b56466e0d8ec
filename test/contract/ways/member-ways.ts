import { limits } from '../../../shared/contract/base/limits.ts'
import type { Endpoint } from '../../../shared/contract/endpoints/endpoint.ts'
import { endpoints } from '../../../shared/contract/endpoints/endpoints.ts'
import { type MemberRole, memberRoles } from '../../../shared/contract/role-schema.ts'
import { perContext } from '../../../shared/flow/core/context.ts'
import { asSuperuser } from '../../support/servers/superuser.ts'
import { invite, join, type TestMember } from '../../support/service/member.ts'
import { newBrowser, signUp, type TestOwner } from '../../support/service/owner.ts'
import type { Operation } from '../contract-document.ts'
import { type Asked, validRequest } from '../valid-request.ts'
import { sessionOf, type World } from '../world.ts'
import type { Stage, Way } from './way.ts'

/** A member whose role is none of those that the row names. */
export const memberOfOtherRole: Way = async (operation, stage) => {
  const { roles = [] } = (endpoints as Record<string, Endpoint>)[operation.operationId] ?? {}
  const role = memberRoles.find(each => each !== 'owner' && !roles.includes(each)) ?? 'auditor'
  const { member, tenant_id } = await memberWith(role, stage.world)
  return { asked: by(member, operation, stage, { params: { tenant_id } }) }
}

type InTenant = { member: TestMember; tenant_id: string }

/** What is refused changes nobody, so one of each role is asked about all rows. */
const membersOf = perContext(() => new Map<MemberRole, Promise<InTenant>>())

function memberWith(role: MemberRole, world: World): Promise<InTenant> {
  const members = membersOf(world.service.context)
  const member = members.get(role) ?? newMember(role, world)
  members.set(role, member)
  return member
}

async function newMember(role: MemberRole, { service: { call } }: World): Promise<InTenant> {
  const owner = await signUp(call)
  const { tenant_id } = owner
  return { tenant_id, member: await join(call, owner, { roles: [{ tenant_id, role }] }) }
}

const nothing = { owner: false, roles: [] }

/** How to come to the answers about members, invitations and groups: of an organization that nobody else changes. */
export const memberWays: Readonly<Record<string, Readonly<Record<string, Way>>>> = {
  change_member: {
    200: ofMember(nothing),
    tenant_not_found: ofMember({ owner: false, roles: [{ tenant_id: 'nobody', role: 'auditor' }] }),
    last_owner: ofOwner(owner => ({ params: owner, body: nothing })),
    member_not_found: ofOwner(() => ({ body: nothing })),
  },
  remove_member: {
    200: ofMember(),
    last_owner: ofOwner(owner => ({ params: owner })),
    member_not_found: ofOwner(() => ({})),
  },
  invite_member: {
    201: ofOwner(() => ({ body: { label: 'Somebody', ...nothing } })),
    tenant_not_found: (operation, { world }) => ({ asked: validRequest(operation, world.known) }),
    too_many_members: ofOwner(async (owner, { world: { service } }) => {
      const text = `
        insert into action_gate.accounts (account_id, organization_id, email, membership)
        select 'acc_' || substr(md5(i || account_id), 1, 16), organization_id, 'x', 'member'
        from action_gate.accounts, generate_series(2, ${limits.members_max}) i where account_id = '${owner.account_id}'`
      await asSuperuser(service.database, text)
      return { body: { label: 'Somebody', ...nothing } }
    }),
  },
  revoke_invitation: {
    200: ofOwner(async owner => ({ params: { ...(await invite(owner, {})).invitation } })),
    invitation_not_found: ofOwner(() => ({})),
  },
  read_invitation: invitationWays(token => ({ token })),
  accept_invitation: {
    ...invitationWays(token => ({ token, email: 'new@example.org', password: 'one more long phrase' })),
    201: withInvitation(async token => ({
      body: { token, email: `${token.slice(0, 8)}@example.org`, password: 'one more long phrase' },
    })),
    account_conflict: withInvitation(async (token, { email, password }) => ({
      body: { token, email, password },
    })),
    already_member: withInvitation(async (token, { browser }) => ({
      body: { token, email: 'new@example.org', password: 'one more long phrase' },
      headers: { cookie: `service_session=${browser.cookies.get('service_session')}` },
    })),
  },
  make_group: {
    201: ofOwner(() => ({})),
    group_conflict: ofOwner(async owner => {
      await makeGroup(owner, 'payments-leads')
      return {}
    }),
    too_many_groups: ofOwner(async (owner, { world: { service } }) => {
      const text = `
        insert into action_gate.organization_groups (organization_id, name)
        select organization_id, 'group-' || i
        from action_gate.accounts, generate_series(1, ${limits.groups_max}) i where account_id = '${owner.account_id}'`
      await asSuperuser(service.database, text)
      return {}
    }),
  },
  remove_group: {
    200: inGroup(),
    group_not_found: ofOwner(() => ({})),
    group_in_use: ofOwner(async owner => {
      await makeGroup(owner, 'payments-leads')
      const required = [{ group: 'payments-leads', approvals: 1 }]
      await owner.browser.call('PUT', owner.path('/routes/payments'), { json: { required } })
      return {}
    }),
  },
  add_group_member: {
    200: inGroup(),
    group_not_found: ofOwner(owner => ({ params: owner })),
    member_not_found: inGroup({ account_id: `acc_${'a'.repeat(16)}` }),
  },
  remove_group_member: {
    200: inGroup(),
    group_not_found: ofOwner(owner => ({ params: owner })),
    member_not_found: inGroup({ account_id: `acc_${'a'.repeat(16)}` }),
  },
}

interface Differing {
  params?: object
  body?: object
  headers?: Record<string, string>
}

/** A request of somebody's session, with what differs from the example. */
function by(
  { browser }: Pick<TestMember, 'browser'>,
  operation: Operation,
  { world: { known } }: Stage,
  { params = {}, body, headers = {} }: Differing,
): Asked {
  const credentials = { ...known.credentials, ...sessionOf({ browser }) }
  const others = { account_id: `acc_${'a'.repeat(16)}`, invitation_id: `inv_${'a'.repeat(16)}` }
  const named = { ...known.params, name: 'payments-leads', ...others, ...params }
  const asked = validRequest(operation, { ...known, ownParams: {}, credentials, params: named })
  return {
    ...asked,
    headers: { ...asked.headers, ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  }
}

/** By the owner of an organization of their own. */
function ofOwner(differing: (owner: TestOwner, stage: Stage) => Differing | Promise<Differing>): Way {
  return async (operation, stage) => {
    const owner = await signUp(stage.world.service.call)
    return { asked: by(owner, operation, stage, await differing(owner, stage)) }
  }
}

/** About a member of that organization. */
function ofMember(body?: object): Way {
  return ofOwner(async (owner, { world }) => {
    const { account_id } = await join(world.service.call, owner, {})
    return { params: { account_id }, ...(body === undefined ? {} : { body }) }
  })
}

function inGroup(params: object = {}): Way {
  return ofOwner(async owner => {
    await makeGroup(owner, 'payments-leads')
    return { params: { account_id: owner.account_id, ...params } }
  })
}

async function makeGroup({ browser }: TestOwner, name: string): Promise<void> {
  await browser.call('POST', '/v1/accounts/groups', { json: { name } })
}

/** By somebody who holds an invitation of that organization. */
function withInvitation(
  differing: (token: string, owner: TestOwner, stage: Stage) => Promise<Differing>,
): Way {
  return async (operation, stage) => {
    const owner = await signUp(stage.world.service.call)
    const { token } = await invite(owner, {})
    const { body, headers = {} } = await differing(token, owner, stage)
    const asked = validRequest(operation, stage.world.known)
    return { asked: { ...asked, headers: { ...asked.headers, ...headers }, body: JSON.stringify(body) } }
  }
}

/** An invitation in every state, and a service that cannot look it up. */
function invitationWays(bodyOf: (token: string) => object): Record<string, Way> {
  const at =
    (place: (refusing: Stage['refusing']) => string): Way =>
    (operation, { world, refusing }) => ({
      asked: { ...validRequest(operation, world.known), body: JSON.stringify(bodyOf('A'.repeat(43))) },
      url: place(refusing),
    })
  return {
    200: withInvitation(async token => ({ body: bodyOf(token) })),
    invitation_not_found: (operation, { world }) => ({
      asked: { ...validRequest(operation, world.known), body: JSON.stringify(bodyOf('A'.repeat(43))) },
    }),
    invitation_used: withInvitation(async (token, _owner, { world }) => {
      const json = { token, email: `${token.slice(0, 8)}@example.org`, password: 'one more long phrase' }
      await newBrowser(world.service.call).call('POST', '/v1/accounts/invitations/accept', { json })
      return { body: bodyOf(token) }
    }),
    invitation_ended: withInvitation(async (token, { account_id }, { world }) => {
      await asSuperuser(
        world.service.database,
        `update action_gate.invitations set revoked_at = now() where invited_by = '${account_id}'`,
      )
      return { body: bodyOf(token) }
    }),
    internal_error: at(({ failing }) => failing),
    storage_unavailable: at(({ cutOff }) => cutOff),
  }
}
