import { boundsOf } from '../../lib/policy/grant-words.ts'
import { useCall } from '../../lib/query.tsx'
import { Reading } from '../../ui/state.tsx'
import { GrantForm } from './grant-form.tsx'

export function GrantFromAction({
  tenantId,
  actionId,
  onDone,
}: {
  tenantId: string
  actionId: string
  onDone(): void
}) {
  const trace = useCall('read_owned_action', { params: { tenant_id: tenantId, action_id: actionId } })
  return (
    <Reading query={trace} rows={3}>
      {({ proposal: { action }, verdict: { principal, effective_risk } }) => (
        <GrantForm
          tenantId={tenantId}
          start={{
            key_id: principal.key_id,
            system: action.target_system,
            operation: action.operation,
            risk_max: effective_risk.level,
            constraints: boundsOf(action.parameters),
          }}
          onDone={onDone}
        />
      )}
    </Reading>
  )
}
