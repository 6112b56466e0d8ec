import { limits } from '../../contract/base/limits.ts'
import type { Holder } from '../../runtime/held-places.ts'

/** Whose streams are counted: of the key or the account, of the tenant, and of the organization. */
export function streamHolders(own: string, tenantId: string, organizationId: string | null): Holder[] {
  const { streams_per_holder_max, streams_per_tenant_max, streams_per_organization_max } = limits
  return [
    { name: own, most: streams_per_holder_max },
    { name: `tenant ${tenantId}`, most: streams_per_tenant_max },
    ...(organizationId === null
      ? []
      : [{ name: `organization ${organizationId}`, most: streams_per_organization_max }]),
  ]
}
