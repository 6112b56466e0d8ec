import type { OwnedTenant, OwnedTenantCreated, OwnedTenantRequest } from '../../contract/account.ts'
import { ServiceError } from '../../contract/base/errors.ts'
import { endpoints } from '../../contract/endpoints/endpoints.ts'
import { type TimeCursor, writeTimeCursor } from '../../contract/endpoints/paging.ts'
import type { MemberRole } from '../../contract/role-schema.ts'
import { listOwnedTenants as listStored, tenantIdsOf } from '../../store/account/account-rows.ts'
import { rolesOf } from '../../store/account/member-rows.ts'
import type { Context } from '../core/context.ts'
import { pageOf } from '../core/page.ts'
import { bundleOf, ofNewKey } from '../tenant/integration.ts'
import { compiledPolicyOf } from '../tenant/store-tenant.ts'
import { insertOwnedTenant, planOwnedTenant } from './new-owned-tenant.ts'
import { type CurrentSession, tenantsOf } from './sessions.ts'

export async function listOwnedTenants(
  context: Context,
  session: CurrentSession,
  page: { limit: number; cursor: TimeCursor | undefined },
): Promise<{ tenants: OwnedTenant[]; next_cursor: string | null }> {
  const oneMore = { ...page, limit: page.limit + 1 }
  const { account_id } = session.account
  const [read, roles] = await context.store.look('all', async query => [
    await listStored(query, tenantsOf(session), oneMore),
    session.owner ? [] : await rolesOf(query, [account_id]),
  ])
  const { rows, last } = pageOf(read, page.limit)
  const rolesIn = (tenantId: string): MemberRole[] =>
    session.owner ? ['owner'] : roles.flatMap(({ tenant_id, role }) => (tenant_id === tenantId ? [role] : []))
  return {
    tenants: rows.map(({ tenant_id, name, created_at }) => ({
      tenant_id,
      name,
      created_at: created_at.toISOString(),
      roles: rolesIn(tenant_id),
    })),
    next_cursor: last && writeTimeCursor([last.created_at.toISOString(), last.tenant_id]),
  }
}

export interface InboxScope {
  tenant_id: string | undefined
  may: keyof typeof inboxRows
}

const inboxRows = { read: endpoints.list_owned_approvals, decide: endpoints.decide_owned_approvals } as const

export async function inboxTenants(
  { store }: Context,
  session: CurrentSession,
  { tenant_id, may }: InboxScope,
): Promise<string[]> {
  const which = { roles: inboxRows[may].roles, tenant_id: tenant_id ?? null }
  const ids = await store.read('all', reader => tenantIdsOf(reader, tenantsOf(session), which))
  if (tenant_id !== undefined && ids.length === 0) throw new ServiceError('tenant_not_found')
  return ids
}

export async function createOwnedTenant(
  context: Context,
  { account, organization }: CurrentSession,
  request: OwnedTenantRequest,
): Promise<OwnedTenantCreated> {
  const plan = await planOwnedTenant(context, request, { ...account, ...organization })
  const { tenant_id } = plan.prepared
  const integration = await bundleOf(
    context,
    { tenant_id, record: compiledPolicyOf(plan.prepared) },
    ofNewKey,
  )
  const made = await context.store.change([tenant_id], query => insertOwnedTenant(context, query, plan))
  return { ...made, integration }
}
