import { ServiceError } from '../../contract/base/errors.ts'
import type { Integration } from '../../contract/configuration/getting-started.ts'
import type { Policy } from '../../contract/configuration/policy.ts'
import type { Author, ConfigFile, Tenant, TenantRequest } from '../../contract/configuration/tenant.ts'
import { type TimeCursor, writeTimeCursor } from '../../contract/endpoints/paging.ts'
import { listTenants as listStored, policySizes, tenantExists } from '../../store/tenant/tenant-rows.ts'
import type { Context } from '../core/context.ts'
import { pageByBytes } from '../core/page.ts'
import { bundleOf, ofNewKey } from './integration.ts'
import type { IssuedKey } from './issue-key.ts'
import {
  compiledPolicyOf,
  insertWithKey,
  mocks,
  type NewTenant,
  prepareTenant,
  storeTenant,
  templateSource,
} from './store-tenant.ts'

/**
 * Creates a tenant from a policy or template with its first agent key (specification.md#endpoints). Both are
 * stored last and together, so that a failure leaves no tenant.
 */
export async function createTenant(
  context: Context,
  request: TenantRequest,
  author: Author,
): Promise<{ tenant_id: string; policy: Policy; integration: Integration } & IssuedKey> {
  const { tenant_id, key_name } = request
  const prepared = await prepareTenant(context, { tenant_id, author, ...tenantSource(request) })
  const integration = await bundleOf(context, { tenant_id, record: compiledPolicyOf(prepared) }, ofNewKey)
  const made = await context.store.change([tenant_id], query =>
    insertWithKey(context, query, prepared, key_name),
  )
  if (!made) throw new ServiceError('tenant_conflict', `tenant ${tenant_id} exists already`)
  return { tenant_id, ...made, integration }
}

/** Creates the missing tenants of a configuration file; existing ones stay unchanged. */
export async function seedTenants(context: Context, config: ConfigFile): Promise<void> {
  for (const { tenant_id, policy, mock_actuators, actuators, ...more } of config.tenants) {
    const author: Author = { source: 'configuration file' }
    await storeTenant(context, {
      tenant_id,
      author,
      policy,
      actuators: [...mocks(mock_actuators), ...(actuators ?? [])],
      ...timesOf(more),
    })
  }
}

export async function listTenants(
  context: Context,
  page: { limit: number; cursor: TimeCursor | undefined },
): Promise<{ tenants: Tenant[]; next_cursor: string | null }> {
  const { cursor } = page
  const { rows, last } = await context.store.look('all', query =>
    pageByBytes(
      {
        sizes: limit => policySizes(query, { limit, cursor }),
        rows: limit => listStored(query, { limit, cursor }),
      },
      page.limit,
    ),
  )
  return {
    tenants: rows.map(({ created_at, policy }) => ({
      tenant_id: policy.tenant_id,
      created_at: created_at.toISOString(),
      policy: JSON.parse(policy.policy) as Policy,
      policy_revision: policy.revision,
      policy_hash: policy.policy_hash,
    })),
    next_cursor: last && writeTimeCursor([last.created_at.toISOString(), last.policy.tenant_id]),
  }
}

export async function requireTenant(context: Context, tenantId: string): Promise<void> {
  const known = await context.store.look([tenantId], query => tenantExists(query, tenantId))
  if (!known) throw new ServiceError('tenant_not_found', `no tenant ${tenantId}`)
}

function tenantSource(request: TenantRequest): Omit<NewTenant, 'tenant_id' | 'author'> {
  const { template, policy, catalog, mock_actuators, verification_gate } = request
  const source = template === undefined ? { policy, actuators: [] } : templateSource(template)
  return {
    ...source,
    ...(catalog === undefined ? {} : { catalog }),
    ...(mock_actuators === undefined ? {} : { actuators: mocks(mock_actuators) }),
    ...timesOf(request),
    ...(verification_gate === undefined ? {} : { verification_gate }),
  }
}

type Times = Pick<TenantRequest, 'approval_ttl_ms' | 'execute_within_ms'>

function timesOf({ approval_ttl_ms, execute_within_ms }: Times): Pick<NewTenant, keyof Times> {
  return {
    ...(approval_ttl_ms === undefined ? {} : { approval_ttl_ms }),
    ...(execute_within_ms === undefined ? {} : { execute_within_ms }),
  }
}
