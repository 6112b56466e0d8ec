import { type Issue, ServiceError } from '../../contract/base/errors.ts'
import type { Member } from '../../contract/member-schema.ts'
import type { Grants } from '../../contract/role-schema.ts'
import { revokeInvitationsBy } from '../../store/account/invitation-rows.ts'
import {
  countMembers,
  listMembers as listStored,
  removeMember as removeStored,
  replaceGrants,
  type StoredMember,
} from '../../store/account/member-rows.ts'
import { endAllSessions } from '../../store/account/session-rows.ts'
import type { Query } from '../../store/postgres/open.ts'
import type { Context } from '../core/context.ts'
import {
  changeOrganization,
  type Ending,
  type OrganizationWork,
  ownGrants,
  recordGrants,
} from './change-organization.ts'
import type { CurrentSession } from './sessions.ts'
import { shareGroups } from './share-groups.ts'

export async function listMembers({ store }: Context, { organization }: CurrentSession): Promise<Member[]> {
  const members = await store.look('all', query => listStored(query, organization.organization_id))
  return members.map(shownMember)
}

/**
 * Replaces a member's roles; a member who loses one loses their sessions too, so that no decision uses a lost
 * role. Returns the number of ended sessions. Throws `member_not_found`, `tenant_not_found`, `last_owner`.
 */
export async function changeMember(
  context: Context,
  session: CurrentSession,
  accountId: string,
  wanted: Grants,
): Promise<{ member: Member; ended: number }> {
  const { organization_id } = session.organization
  const change: OrganizationWork<{ member: Member; ended: number }> = async (query, tenantIds) => {
    const before = await requireMember(query, session, accountId)
    const after = ownGrants(wanted, tenantIds)
    if (before.owner && !after.owner) await requireOtherOwner(query, organization_id)
    const ended = losesRole(before, after) ? await endAllSessions(query, accountId) : 0
    await replaceGrants(query, accountId, after)
    if (!after.owner) await revokeInvitationsBy(query, accountId)
    await recordGrants(context, query, tenantIds, {
      account_id: accountId,
      before,
      after,
      author: authorOf(session),
    })
    return { member: shownMember({ ...before, ...after }), ended }
  }
  return changeAsOwner(context, session, change, { account_id: accountId })
}

/**
 * Ends a membership with its sessions, keys and Slack links; returns the number of sessions and the routes left
 * without people. Throws `member_not_found`, `last_owner`.
 */
export async function removeMember(
  context: Context,
  session: CurrentSession,
  accountId: string,
): Promise<{ ended: number; warnings: Issue[] }> {
  const { organization_id } = session.organization
  const remove: OrganizationWork<{ ended: number; warnings: Issue[] }> = async (query, tenantIds) => {
    const before = await requireMember(query, session, accountId)
    if (before.owner) await requireOtherOwner(query, organization_id)
    const ended = await endAllSessions(query, accountId)
    await removeStored(query, accountId)
    await revokeInvitationsBy(query, accountId)
    const author = authorOf(session)
    await recordGrants(context, query, tenantIds, {
      account_id: accountId,
      before,
      after: { owner: false, roles: [] },
      author,
    })
    const warnings = await shareGroups(query, { organization_id, tenantIds, author, left: accountId })
    return { ended, warnings }
  }
  return changeAsOwner(context, session, remove, { account_id: accountId })
}

/**
 * Checks again under the lock that the caller is an owner, since they may have lost that since admission. Throws
 * `wrong_role`.
 */
export async function changeAsOwner<Answer>(
  context: Context,
  session: CurrentSession,
  work: OrganizationWork<Answer>,
  ending: Ending | null = null,
): Promise<Answer> {
  const { organization, account } = session
  const asOwner: OrganizationWork<Answer> = async (query, tenantIds) => {
    const [actor] = await listStored(query, organization.organization_id, account.account_id)
    if (!actor?.owner) throw new ServiceError('wrong_role')
    return work(query, tenantIds)
  }
  return changeOrganization(context, organization.organization_id, asOwner, ending)
}

export async function requireMember(
  query: Query,
  { organization }: CurrentSession,
  accountId: string,
): Promise<StoredMember> {
  const [member] = await listStored(query, organization.organization_id, accountId)
  if (!member) throw new ServiceError('member_not_found', `no member ${accountId}`)
  return member
}

export function authorOf({ account }: CurrentSession): { account_id: string; name: string; scope: 'owner' } {
  return { account_id: account.account_id, name: account.email, scope: 'owner' }
}

async function requireOtherOwner(query: Query, organizationId: string): Promise<void> {
  const { owners } = await countMembers(query, organizationId)
  if (owners < 2) throw new ServiceError('last_owner')
}

function losesRole(before: Grants, after: Grants): boolean {
  if (after.owner) return false
  const kept = new Set(after.roles.map(({ tenant_id, role }) => `${tenant_id} ${role}`))
  return before.owner || before.roles.some(({ tenant_id, role }) => !kept.has(`${tenant_id} ${role}`))
}

function shownMember({ account_id, email, created_at, owner, roles }: StoredMember): Member {
  return { account: { account_id, email, created_at: created_at.toISOString() }, owner, roles }
}
