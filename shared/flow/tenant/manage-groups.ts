import { ServiceError } from '../../contract/base/errors.ts'
import { limits } from '../../contract/base/limits.ts'
import type {
  ChangedGroup,
  Group,
  GroupMember,
  GroupRequest,
} from '../../contract/configuration/route-schema.ts'
import type { Author } from '../../contract/configuration/tenant.ts'
import { sameHolder } from '../../lifecycle/holder.ts'
import type { Query } from '../../store/postgres/open.ts'
import {
  deleteGroup as deleteStored,
  listGroups as listStored,
  type NamedRef,
  type StoredGroup,
  writeGroup,
} from '../../store/tenant/route-rows.ts'
import { tenantExists } from '../../store/tenant/tenant-rows.ts'
import { changeConfig } from '../core/change-config.ts'
import type { Context } from '../core/context.ts'
import { groupEntry, routesWith, withoutPeople } from './group-entry.ts'
import { badPerson, namedHolder } from './named-holder.ts'

export async function listGroups(context: Context, tenantId: string): Promise<{ groups: Group[] }> {
  return context.store.look([tenantId], async query => {
    if (!(await tenantExists(query, tenantId)))
      throw new ServiceError('tenant_not_found', `no tenant ${tenantId}`)
    return { groups: (await listStored(query, tenantId)).map(groupView) }
  })
}

/** Replaces a group's members; they count at each decision, even for actions already held. */
export async function putGroup(
  context: Context,
  ref: NamedRef,
  { request, author }: { request: GroupRequest; author: Author },
): Promise<ChangedGroup> {
  return changeConfig(context, ref.tenant_id, author, async query => {
    await refuseOthers(query, ref)
    const members = await membersOf(context, query, { ref, request })
    const stored = await writeGroup(query, { ...ref, members, of_organization: false })
    const warnings = members.length === 0 ? await withoutPeople(query, ref) : []
    return {
      answer: { ...groupView(stored), warnings },
      entry: groupEntry('written', stored),
      governs: true,
    }
  })
}

export async function deleteGroup(context: Context, ref: NamedRef, author: Author): Promise<Group> {
  return changeConfig(context, ref.tenant_id, author, async query => {
    refuseShared(await listStored(query, ref.tenant_id), ref)
    const [route] = await routesWith(query, ref)
    if (route) throw new ServiceError('group_in_use', `the route ${route.name} names the group ${ref.name}`)
    const stored = await deleteStored(query, ref)
    if (!stored) throw new ServiceError('group_not_found', `tenant ${ref.tenant_id} has no group ${ref.name}`)
    return { answer: groupView(stored), entry: groupEntry('deleted', stored), governs: true }
  })
}

function groupView({ name, members, of_organization, updated_at }: StoredGroup): Group {
  return { name, members, of_organization, updated_at: updated_at.toISOString() }
}

async function refuseOthers(query: Query, ref: NamedRef): Promise<void> {
  const groups = await listStored(query, ref.tenant_id)
  refuseShared(groups, ref)
  const others = groups.filter(({ name, of_organization }) => name !== ref.name && !of_organization)
  if (others.length >= limits.groups_per_tenant_max) throw new ServiceError('too_many_groups')
}

/** Refuses an organization's group, because it is changed in the organization for all applications. */
function refuseShared(groups: readonly StoredGroup[], { name }: NamedRef): void {
  if (groups.some(group => group.name === name && group.of_organization))
    throw new ServiceError('group_conflict', `${name} is a group of the organization, which keeps it`)
}

async function membersOf(
  context: Context,
  query: Query,
  { ref, request }: { ref: NamedRef; request: GroupRequest },
): Promise<GroupMember[]> {
  const members: GroupMember[] = []
  for (const [at, named] of request.members.entries()) {
    const path = `members[${at}]`
    const member = await namedHolder(context, query, { tenant_id: ref.tenant_id, named, path })
    const twice = members.findIndex(other => sameHolder(other.holder, member.holder))
    if (twice !== -1) throw badPerson(path, 'same_holder', `is the same person as members[${twice}]`)
    members.push(member)
  }
  return members
}
