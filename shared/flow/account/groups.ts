import { ServiceError } from '../../contract/base/errors.ts'
import { limits } from '../../contract/base/limits.ts'
import type { OrganizationGroup } from '../../contract/member-schema.ts'
import {
  deleteGroupMember,
  deleteGroup as deleteStored,
  insertGroup,
  insertGroupMember,
  listGroups as listStored,
} from '../../store/account/group-rows.ts'
import type { Query } from '../../store/postgres/open.ts'
import type { Context } from '../core/context.ts'
import { changeAsOwner, requireMember } from './members.ts'
import type { CurrentSession } from './sessions.ts'

/** Groups of the organization of a session, and who is in them: one that lost everybody is listed like the others. */
export async function listGroups(
  { store }: Context,
  { organization }: CurrentSession,
): Promise<OrganizationGroup[]> {
  return store.look([], query => readGroups(query, organization.organization_id))
}

/** Throws `group_conflict`, `too_many_groups`. */
export async function makeGroup(
  context: Context,
  session: CurrentSession,
  name: string,
): Promise<OrganizationGroup> {
  const { organization_id } = session.organization
  return changeAsOwner(context, session, async query => {
    const { groups } = await listStored(query, organization_id)
    if (groups.length >= limits.groups_max) throw new ServiceError('too_many_groups')
    if (!(await insertGroup(query, organization_id, name))) throw new ServiceError('group_conflict')
    return requireGroup(query, organization_id, name)
  })
}

/** As it was. Throws `group_not_found`. */
export async function removeGroup(
  context: Context,
  session: CurrentSession,
  name: string,
): Promise<OrganizationGroup> {
  const { organization_id } = session.organization
  return changeAsOwner(context, session, async query => {
    const group = await requireGroup(query, organization_id, name)
    await deleteStored(query, organization_id, name)
    return group
  })
}

/** A change of who is in a group. */
export interface GroupChange {
  name: string
  account_id: string
  /** Whether the member is to be in it. */
  isIn: boolean
}

/** Put a member into a group, or take them out of it. Throws `group_not_found`, `member_not_found`. */
export async function changeGroup(
  context: Context,
  session: CurrentSession,
  { name, account_id, isIn }: GroupChange,
): Promise<OrganizationGroup> {
  const { organization_id } = session.organization
  return changeAsOwner(context, session, async query => {
    await requireGroup(query, organization_id, name)
    await requireMember(query, session, account_id)
    await (isIn ? insertGroupMember : deleteGroupMember)(query, { organization_id, name, account_id })
    return requireGroup(query, organization_id, name)
  })
}

async function requireGroup(query: Query, organizationId: string, name: string): Promise<OrganizationGroup> {
  const group = (await readGroups(query, organizationId)).find(each => each.name === name)
  if (!group) throw new ServiceError('group_not_found', `no group ${name}`)
  return group
}

async function readGroups(query: Query, organizationId: string): Promise<OrganizationGroup[]> {
  const { groups, members } = await listStored(query, organizationId)
  return groups.map(({ name, created_at }) => {
    const people = new Map<string, OrganizationGroup['members'][number]>()
    for (const { account_id, email, source } of members.filter(member => member.name === name)) {
      const sources = [...(people.get(account_id)?.sources ?? []), source]
      people.set(account_id, { account_id, email, sources })
    }
    return { name, created_at: created_at.toISOString(), members: [...people.values()] }
  })
}
