import type { OwnerPrincipal } from '../../contract/action/verdict.ts'
import { ServiceError } from '../../contract/base/errors.ts'
import { type Grants, keyRoles, type MemberRole } from '../../contract/role-schema.ts'
import { holderOf } from '../../lifecycle/holder.ts'
import { organizationTenantIds } from '../../store/account/account-rows.ts'
import { holdOrganization } from '../../store/account/member-rows.ts'
import { lockSession, lockSessions } from '../../store/account/session-rows.ts'
import type { Query } from '../../store/postgres/open.ts'
import { lockHeldKeys, revokeHeldKeys } from '../../store/tenant/api-keys.ts'
import { lockTenant } from '../../store/tenant/tenant-rows.ts'
import { type ConfigEntry, changeConfigIn, recordConfig } from '../core/change-config.ts'
import type { Context } from '../core/context.ts'
import { withKeys } from '../tenant/issue-key.ts'
import { endSlackLink } from './slack-links.ts'

export type OrganizationWork<Answer> = (query: Query, tenantIds: readonly string[]) => Promise<Answer>

export type Ending = { account_id: string } | { session_hash: Buffer }

/**
 * Changes an organization in a transaction over all its tenants; it restarts if a tenant was added before the
 * organization was locked.
 */
export async function changeOrganization<Answer>(
  { store }: Context,
  organizationId: string,
  work: OrganizationWork<Answer>,
  ending: Ending | null = null,
): Promise<Answer> {
  for (;;) {
    const scope = await store.read('all', reader => organizationTenantIds(reader, organizationId))
    const done = await store.change(scope, async query => {
      if (ending !== null) await lockCredentials(query, scope, ending)
      const count = await holdOrganization(query, organizationId)
      return count <= scope.length ? { answer: await work(query, scope) } : null
    })
    if (done) return done.answer
  }
}

/**
 * Locks the credentials before the organization and its tenants, as every change does; in the other order this
 * change could deadlock with requests of a busy account, which would then keep the rights that it should lose.
 */
async function lockCredentials(query: Query, tenantIds: readonly string[], ending: Ending): Promise<void> {
  if ('session_hash' in ending) return lockSession(query, ending.session_hash)
  const { account_id } = ending
  await lockSessions(query, account_id)
  await lockHeldKeys(query, tenantIds, holderOf({ account_id }))
}

export interface GrantsChange {
  account_id: string
  before: Grants
  after: Grants
  author: Pick<OwnerPrincipal, 'account_id' | 'name'>
  invitation_id?: string
}

/**
 * Records the new permissions of an account in the configuration stream of each tenant. A person who loses a role
 * loses the keys of that role there, and the Slack link.
 */
export async function recordGrants(
  context: Context,
  query: Query,
  tenantIds: readonly string[],
  change: GrantsChange,
): Promise<void> {
  for (const tenantId of tenantIds) {
    const roles = rolesIn(change.after, tenantId)
    if (roles.join() === rolesIn(change.before, tenantId).join()) continue
    await recordRoles(context, query, tenantId, { ...change, roles })
  }
}

async function recordRoles(
  context: Context,
  query: Query,
  tenantId: string,
  { account_id, before, roles, author, invitation_id }: GrantsChange & { roles: readonly MemberRole[] },
): Promise<void> {
  const tenant = await lockTenant(query, tenantId)
  if (!tenant) throw new ServiceError('tenant_not_found', `no tenant ${tenantId}`)
  const isLost = (role: MemberRole) => !roles.includes('owner') && !roles.includes(role)
  const held = { holder: holderOf({ account_id }), roles: keyRoles.filter(isLost) }
  const revoked = await withKeys(context, tenantId, query, keys => revokeHeldKeys(keys, tenantId, held))
  const earlier: ConfigEntry[] = revoked.map(({ key_id, name, scope }) => ({
    kind: 'key_revoked',
    payload: { key_id, name, scope },
  }))
  const loses = rolesIn(before, tenantId).some(isLost)
  const unlinked = loses ? await endSlackLink(query, { tenant_id: tenantId, account_id }) : null
  if (unlinked) earlier.push(unlinked.entry)
  const payload = { account_id, roles: [...roles], ...(invitation_id === undefined ? {} : { invitation_id }) }
  const by = { ...author, scope: 'owner' as const, tenant_id: tenantId }
  await recordConfig(query, tenant, by, {
    answer: undefined,
    earlier,
    entry: { kind: 'member_changed', payload },
  })
}

/** Records a password reset in the stream of each tenant in which the account has a role. */
export async function recordPasswordReset(
  query: Query,
  tenantIds: readonly string[],
  { account_id, name, grants }: GrantsChange['author'] & { grants: Grants },
): Promise<void> {
  for (const tenant_id of tenantIds) {
    const roles = rolesIn(grants, tenant_id)
    if (roles.length === 0) continue
    await changeConfigIn(query, tenant_id, { account_id, name, scope: 'owner', tenant_id }, async () => {
      const unlinked = await endSlackLink(query, { tenant_id, account_id })
      const payload = { account_id, roles, password_reset: true }
      return {
        answer: undefined,
        earlier: unlinked ? [unlinked.entry] : [],
        entry: { kind: 'member_changed', payload },
      }
    })
  }
}

function rolesIn({ owner, roles }: Grants, tenantId: string): MemberRole[] {
  if (owner) return ['owner']
  return roles.flatMap(({ tenant_id, role }) => (tenant_id === tenantId ? [role] : [])).sort()
}

/** Returns the requested roles once each, in a fixed order. Throws `tenant_not_found` for a foreign tenant. */
export function ownGrants({ owner, roles }: Grants, tenantIds: readonly string[]): Grants {
  const foreign = roles.find(({ tenant_id }) => !tenantIds.includes(tenant_id))
  if (foreign) throw new ServiceError('tenant_not_found', `no tenant ${foreign.tenant_id}`)
  if (owner) return { owner, roles: [] }
  const once = new Map(roles.map(role => [`${role.tenant_id} ${role.role}`, role]))
  return { owner, roles: [...once].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, role]) => role) }
}
