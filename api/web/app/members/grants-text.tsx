import type { OwnedTenant } from '../../../../shared/contract/account.ts'
import type { Grants } from '../../../../shared/contract/role-schema.ts'
import { roleWords } from '../../lib/session/roles.ts'
import { ForeignText } from '../../ui/text.tsx'

export function GrantsText({ grants, tenants }: { grants: Grants; tenants: readonly OwnedTenant[] }) {
  if (grants.owner) return 'Owner of the organization'
  if (grants.roles.length === 0) return <span className="text-soft">Nothing yet</span>
  const ids = [...new Set(grants.roles.map(({ tenant_id }) => tenant_id))]
  return (
    <ul>
      {ids.map(id => (
        <li key={id}>
          <ForeignText text={tenants.find(({ tenant_id }) => tenant_id === id)?.name ?? id} />:{' '}
          {grants.roles
            .filter(({ tenant_id }) => tenant_id === id)
            .map(({ role }) => roleWords[role].label)
            .join(', ')}
        </li>
      ))}
    </ul>
  )
}
