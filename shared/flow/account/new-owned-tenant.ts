import type { OwnedTenant } from '../../contract/account.ts'
import type { OwnerPrincipal } from '../../contract/action/verdict.ts'
import { ServiceError } from '../../contract/base/errors.ts'
import { limits } from '../../contract/base/limits.ts'
import { newSuffix } from '../../runtime/ids.ts'
import { countTenant, insertTenantOwner } from '../../store/account/account-rows.ts'
import type { Query } from '../../store/postgres/open.ts'
import type { Context } from '../core/context.ts'
import type { IssuedKey } from '../tenant/issue-key.ts'
import { insertWithKey, type PreparedTenant, prepareTenant, templateSource } from '../tenant/store-tenant.ts'
import { shareGroups } from './share-groups.ts'

export interface OwnedTenantPlan {
  name: string
  organization_id: string
  prepared: PreparedTenant
}

/**
 * Plans an application from a template, with an id made of its name. Throws `validation_failed` for an unknown
 * template.
 */
export async function planOwnedTenant(
  context: Context,
  { name, template }: { name: string; template: string },
  owner: { account_id: string; email: string; organization_id: string },
): Promise<OwnedTenantPlan> {
  const tenant_id = `${slug(name)}-${newSuffix()}`
  const { account_id, email, organization_id } = owner
  const author: OwnerPrincipal = { account_id, name: email, scope: 'owner', tenant_id }
  const prepared = await prepareTenant(context, { tenant_id, author, ...templateSource(template) })
  return { name, organization_id, prepared }
}

export async function insertOwnedTenant(
  context: Context,
  query: Query,
  { name, organization_id, prepared }: OwnedTenantPlan,
): Promise<{ tenant: OwnedTenant } & IssuedKey> {
  const { tenant_id } = prepared
  if (!(await countTenant(query, organization_id, limits.owned_tenants_max))) throw tooMany()
  const made = await insertWithKey(context, query, prepared)
  if (!made) throw new ServiceError('tenant_conflict', `tenant ${tenant_id} exists already`)
  const { created_at } = await insertTenantOwner(query, { tenant_id, organization_id, name })
  await shareGroups(query, { organization_id, tenantIds: [tenant_id], author: prepared.author })
  const { api_key, key } = made
  return { tenant: { tenant_id, name, created_at: created_at.toISOString(), roles: ['owner'] }, api_key, key }
}

const slugLengthMax = 60

function slug(name: string): string {
  const plain = name.normalize('NFKD').toLowerCase().replaceAll(/\p{M}/gu, '')
  const words = plain.replaceAll(/[^a-z0-9]+/g, '-').slice(0, slugLengthMax)
  return words.replaceAll(/^-|-$/g, '') || 'app'
}

function tooMany(): ServiceError {
  const message = `an organization has ${limits.owned_tenants_max} applications at most`
  return new ServiceError('validation_failed', message, [{ path: 'name', code: 'too_many_tenants', message }])
}
