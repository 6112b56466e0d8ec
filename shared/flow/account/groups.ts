import { type Issue, ServiceError } from '../../contract/base/errors.ts'
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
import { listGroupsOf } from '../../store/tenant/route-rows.ts'
import type { Context } from '../core/context.ts'
import { routesWith } from '../tenant/group-entry.ts'
import { authorOf, changeAsOwner, requireMember } from './members.ts'
import type { CurrentSession } from './sessions.ts'
import { shareGroups } from './share-groups.ts'

export async function listGroups(
  { store }: Context,
  { organization }: CurrentSession,
): Promise<OrganizationGroup[]> {
  return store.look([], query => readGroups(query, organization.organization_id))
}

/**
 * Creates an empty group in the organization and in each of its applications. Throws `group_conflict`,
 * `too_many_groups`.
 */
export async function makeGroup(
  context: Context,
  session: CurrentSession,
  name: string,
): Promise<OrganizationGroup> {
  const { organization_id } = session.organization
  return changeAsOwner(context, session, async (query, tenantIds) => {
    const { groups } = await listStored(query, organization_id)
    if (groups.length >= limits.groups_max) throw new ServiceError('too_many_groups')
    await refuseTaken(query, tenantIds, name)
    if (!(await insertGroup(query, organization_id, name))) throw new ServiceError('group_conflict')
    await shareGroups(query, { organization_id, tenantIds, author: authorOf(session) })
    return requireGroup(query, organization_id, name)
  })
}

/** Returns the removed group. Throws `group_not_found`, `group_in_use`. */
export async function removeGroup(
  context: Context,
  session: CurrentSession,
  name: string,
): Promise<OrganizationGroup> {
  const { organization_id } = session.organization
  return changeAsOwner(context, session, async (query, tenantIds) => {
    const group = await requireGroup(query, organization_id, name)
    await refuseNamed(query, tenantIds, name)
    await deleteStored(query, organization_id, name)
    await shareGroups(query, { organization_id, tenantIds, author: authorOf(session) })
    return group
  })
}

export interface GroupChange {
  name: string
  account_id: string
  isIn: boolean
}

/** Adds a member to a group or removes them. Throws `group_not_found`, `member_not_found`. */
export async function changeGroup(
  context: Context,
  session: CurrentSession,
  { name, account_id, isIn }: GroupChange,
): Promise<{ group: OrganizationGroup; warnings: Issue[] }> {
  const { organization_id } = session.organization
  return changeAsOwner(context, session, async (query, tenantIds) => {
    await requireGroup(query, organization_id, name)
    await requireMember(query, session, account_id)
    await (isIn ? insertGroupMember : deleteGroupMember)(query, { organization_id, name, account_id })
    const warnings = await shareGroups(query, { organization_id, tenantIds, author: authorOf(session) })
    return { group: await requireGroup(query, organization_id, name), warnings }
  })
}

/** Refuses a name that an application's own group has, since a name must identify one group. */
async function refuseTaken(query: Query, tenantIds: readonly string[], name: string): Promise<void> {
  const taken = (await listGroupsOf(query, tenantIds)).find(
    group => group.name === name && !group.of_organization,
  )
  if (taken)
    throw new ServiceError('group_conflict', `the application ${taken.tenant_id} has a group ${name}`)
}

async function refuseNamed(query: Query, tenantIds: readonly string[], name: string): Promise<void> {
  for (const tenant_id of tenantIds) {
    const [route] = await routesWith(query, { tenant_id, name })
    if (route)
      throw new ServiceError(
        'group_in_use',
        `the route ${route.name} of ${tenant_id} names the group ${name}`,
      )
  }
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
