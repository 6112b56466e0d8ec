import { type Issue, ServiceError } from '../../contract/base/errors.ts'
import type { JsonObject } from '../../contract/base/json.ts'
import { limits } from '../../contract/base/limits.ts'
import type {
  ChangedGroup,
  Group,
  GroupMember,
  GroupRequest,
} from '../../contract/configuration/route-schema.ts'
import type { Author } from '../../contract/configuration/tenant.ts'
import { groupsOf } from '../../gate/compiled-policy.ts'
import { sameHolder } from '../../lifecycle/holder.ts'
import type { Query } from '../../store/postgres/open.ts'
import {
  deleteGroup as deleteStored,
  listRoutes,
  listGroups as listStored,
  type NamedRef,
  type StoredGroup,
  type StoredRoute,
  writeGroup,
} from '../../store/tenant/route-rows.ts'
import { tenantExists } from '../../store/tenant/tenant-rows.ts'
import { changeConfig } from '../core/change-config.ts'
import type { Context } from '../core/context.ts'
import { badPerson, namedHolder } from './named-holder.ts'

/** The groups of a tenant. */
export async function listGroups(context: Context, tenantId: string): Promise<{ groups: Group[] }> {
  return context.store.look([tenantId], async query => {
    if (!(await tenantExists(query, tenantId)))
      throw new ServiceError('tenant_not_found', `no tenant ${tenantId}`)
    return { groups: (await listStored(query, tenantId)).map(groupView) }
  })
}

/** Write a group with all of its people: they count when they decide, also about what is held already. */
export async function putGroup(
  context: Context,
  ref: NamedRef,
  { request, author }: { request: GroupRequest; author: Author },
): Promise<ChangedGroup> {
  return changeConfig(context, ref.tenant_id, author, async query => {
    await refuseMany(query, ref)
    const members = await membersOf(context, query, { ref, request })
    const stored = await writeGroup(query, ref, members)
    const warnings = members.length === 0 ? await emptied(query, ref) : []
    const payload = { change: 'written', ...storedPayload(stored) }
    return {
      answer: { ...groupView(stored), warnings },
      entry: { kind: 'review_group', payload },
      governs: true,
    }
  })
}

/** Delete a group that no route names. */
export async function deleteGroup(context: Context, ref: NamedRef, author: Author): Promise<Group> {
  return changeConfig(context, ref.tenant_id, author, async query => {
    const [route] = await routesWith(query, ref)
    if (route) throw new ServiceError('group_in_use', `the route ${route.name} names the group ${ref.name}`)
    const stored = await deleteStored(query, ref)
    if (!stored) throw new ServiceError('group_not_found', `tenant ${ref.tenant_id} has no group ${ref.name}`)
    const payload = { change: 'deleted', ...storedPayload(stored) }
    return { answer: groupView(stored), entry: { kind: 'review_group', payload }, governs: true }
  })
}

function groupView({ name, members, updated_at }: StoredGroup): Group {
  return { name, members, updated_at: updated_at.toISOString() }
}

function storedPayload({ name, members }: StoredGroup): JsonObject {
  return { name, members: members as unknown as JsonObject[] }
}

async function refuseMany(query: Query, { tenant_id, name }: NamedRef): Promise<void> {
  const others = (await listStored(query, tenant_id)).filter(group => group.name !== name)
  if (others.length >= limits.groups_per_tenant_max) throw new ServiceError('too_many_groups')
}

async function routesWith(query: Query, { tenant_id, name }: NamedRef): Promise<StoredRoute[]> {
  return (await listRoutes(query, tenant_id)).filter(({ route }) => groupsOf(route).includes(name))
}

/** Routes that a group without people leaves without approvals. */
async function emptied(query: Query, ref: NamedRef): Promise<Issue[]> {
  return (await routesWith(query, ref)).map(route => ({
    path: 'members',
    code: 'group_without_members',
    message: `the route ${route.name} needs the group: what it holds cannot be approved`,
  }))
}

/** Everybody whom a request names, by who stands behind the key or the account; nobody twice. */
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
