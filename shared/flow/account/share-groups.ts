import type { Issue } from '../../contract/base/errors.ts'
import type { GroupMember } from '../../contract/configuration/route-schema.ts'
import type { Author } from '../../contract/configuration/tenant.ts'
import { holderOf } from '../../lifecycle/holder.ts'
import { listGroups } from '../../store/account/group-rows.ts'
import type { Query } from '../../store/postgres/open.ts'
import { deleteGroup, listGroupsOf, type StoredGroup, writeGroup } from '../../store/tenant/route-rows.ts'
import { lockTenant } from '../../store/tenant/tenant-rows.ts'
import { type ConfigEntry, recordConfig } from '../core/change-config.ts'
import { groupEntry, withoutPeople } from '../tenant/group-entry.ts'

export interface Sharing {
  organization_id: string
  tenantIds: readonly string[]
  author: Author | Omit<Extract<Author, { account_id: string }>, 'tenant_id'>
  /** The account of a removed member, which is dropped from every group. */
  left?: string
}

/**
 * Copies an organization's groups into each application, where routes read them. Each change is an event there;
 * returns warnings about routes left without people.
 */
export async function shareGroups(query: Query, sharing: Sharing): Promise<Issue[]> {
  const wanted = await groupsToShare(query, sharing.organization_id)
  const stored = await listGroupsOf(query, sharing.tenantIds)
  const issues: Issue[] = []
  for (const tenant_id of sharing.tenantIds) {
    const own = stored.filter(group => group.tenant_id === tenant_id)
    const changed = changedGroups(own, wanted, sharing)
    if (changed.length > 0) issues.push(...(await writeGroups(query, tenant_id, { changed, sharing })))
  }
  return issues
}

interface ChangedGroup {
  name: string
  members: GroupMember[] | null
  of_organization: boolean
}

async function groupsToShare(query: Query, organizationId: string): Promise<Map<string, GroupMember[]>> {
  const { groups, members } = await listGroups(query, organizationId)
  return new Map(
    groups.map(({ name }) => {
      const people = new Map(members.flatMap(one => (one.name === name ? [[one.account_id, one.email]] : [])))
      return [name, [...people].map(([account_id, email]) => personOf(account_id, email))]
    }),
  )
}

function personOf(account_id: string, name: string): GroupMember {
  return { holder: holderOf({ account_id }), name, key_id: null, account_id }
}

/**
 * Compares an application's groups with the organization's; a group that the application made itself is kept, even
 * under the same name.
 */
function changedGroups(
  own: readonly StoredGroup[],
  wanted: ReadonlyMap<string, GroupMember[]>,
  { left }: Sharing,
): ChangedGroup[] {
  const gone = left === undefined ? null : holderOf({ account_id: left })
  const kept = own.flatMap(({ name, members, of_organization }): ChangedGroup[] => {
    const after = of_organization
      ? (wanted.get(name) ?? null)
      : members.filter(({ holder }) => holder !== gone)
    return sameMembers(members, after) ? [] : [{ name, members: after, of_organization }]
  })
  const names = new Set(own.map(({ name }) => name))
  const fresh = [...wanted].flatMap(([name, members]): ChangedGroup[] =>
    names.has(name) ? [] : [{ name, members, of_organization: true }],
  )
  return [...kept, ...fresh]
}

function sameMembers(before: readonly GroupMember[], after: readonly GroupMember[] | null): boolean {
  const told = (members: readonly GroupMember[]): string =>
    members.map(({ holder, name, key_id }) => JSON.stringify([holder, name, key_id])).join()
  return after !== null && told(before) === told(after)
}

async function writeGroups(
  query: Query,
  tenant_id: string,
  { changed, sharing }: { changed: readonly ChangedGroup[]; sharing: Sharing },
): Promise<Issue[]> {
  const tenant = await lockTenant(query, tenant_id)
  if (!tenant) throw new Error(`the application ${tenant_id} is gone`)
  const entries: ConfigEntry[] = []
  const issues: Issue[] = []
  for (const { name, members, of_organization } of changed) {
    const ref = { tenant_id, name }
    const deleted = members === null ? await deleteGroup(query, ref) : null
    if (deleted) entries.push(groupEntry('deleted', deleted))
    if (members === null) continue
    entries.push(groupEntry('written', await writeGroup(query, { ...ref, members, of_organization })))
    if (members.length === 0) issues.push(...(await withoutPeople(query, ref)))
  }
  const entry = entries.pop()
  if (entry) {
    const { author } = sharing
    const by = 'account_id' in author ? { ...author, tenant_id } : author
    await recordConfig(query, tenant, by, { answer: null, earlier: entries, entry, governs: true })
  }
  return issues
}
