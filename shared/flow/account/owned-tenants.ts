import type { OwnedTenant, OwnedTenantCreated, OwnedTenantRequest } from '../../contract/account.ts'
import { type TimeCursor, writeTimeCursor } from '../../contract/endpoints/paging.ts'
import { listOwnedTenants as listStored } from '../../store/account/account-rows.ts'
import type { Context } from '../core/context.ts'
import { pageOf } from '../core/page.ts'
import { bundleOf } from '../tenant/integration.ts'
import { compiledPolicyOf } from '../tenant/store-tenant.ts'
import { insertOwnedTenant, planOwnedTenant } from './new-owned-tenant.ts'
import type { CurrentSession } from './sessions.ts'

/** Applications of the organization whose session it is, newest first. */
export async function listOwnedTenants(
  context: Context,
  { organization }: CurrentSession,
  page: { limit: number; cursor: TimeCursor | undefined },
): Promise<{ tenants: OwnedTenant[]; next_cursor: string | null }> {
  const oneMore = { ...page, limit: page.limit + 1 }
  const read = await context.store.look('all', query =>
    listStored(query, organization.organization_id, oneMore),
  )
  const { rows, last } = pageOf(read, page.limit)
  return {
    tenants: rows.map(({ tenant_id, name, created_at }) => ({
      tenant_id,
      name,
      created_at: created_at.toISOString(),
    })),
    next_cursor: last && writeTimeCursor([last.created_at.toISOString(), last.tenant_id]),
  }
}

/** Create an application from a template, with its first agent key. */
export async function createOwnedTenant(
  context: Context,
  { account, organization }: CurrentSession,
  request: OwnedTenantRequest,
): Promise<OwnedTenantCreated> {
  const plan = await planOwnedTenant(context, request, { ...account, ...organization })
  const { tenant_id } = plan.prepared
  const integration = await bundleOf(context, { tenant_id, record: compiledPolicyOf(plan.prepared) }, 'agent')
  const made = await context.store.change([tenant_id], query => insertOwnedTenant(context, query, plan))
  return { ...made, integration }
}
