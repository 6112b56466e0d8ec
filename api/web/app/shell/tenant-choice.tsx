import { useNavigate } from 'react-router'
import { useCall } from '../../lib/query.tsx'
import { Choice, Field } from '../../ui/field.tsx'

export function TenantChoice({ tenantId }: { tenantId: string | undefined }) {
  const navigate = useNavigate()
  const { data } = useCall('list_owned_tenants', { query: { limit: '200' } })
  if (!data || tenantId === undefined) return null
  return (
    <Field label="Application" bare>
      <Choice
        value={tenantId}
        options={data.tenants.map(({ tenant_id, name }) => ({ value: tenant_id, label: name }))}
        onChoose={chosen => navigate(`/a/${chosen}`)}
      />
    </Field>
  )
}
