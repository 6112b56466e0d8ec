import { Link } from 'react-router'
import type { RiskLevel } from '../../../../shared/contract/action/proposal-schema.ts'
import type { PolicyState } from '../../../../shared/contract/configuration/tenant.ts'
import { counted } from '../../lib/format.ts'
import { useCall } from '../../lib/query.tsx'
import { useMay } from '../../lib/session/may.ts'
import { ArrowRight } from '../../pictures/icons.ts'
import { Card } from '../../ui/card.tsx'
import { Reading } from '../../ui/state.tsx'
import { ForeignText } from '../../ui/text.tsx'
import { Time } from '../../ui/time.tsx'

/** The policy in force in one line. */
export function PolicyLine({ tenantId }: { tenantId: string }) {
  const may = useMay()
  const policy = useCall('read_owned_policy', { params: { tenant_id: tenantId } })
  return (
    <Card
      title="Policy in force"
      actions={
        <Link
          to={`/a/${tenantId}/policy`}
          className="flex min-h-6 items-center gap-1 rounded text-sm font-medium text-accent hover:underline"
        >
          {may('replace_owned_policy') ? 'Read or change it' : 'Read it'}{' '}
          <ArrowRight className="size-4" aria-hidden />
        </Link>
      }
    >
      <Reading query={policy} rows={2}>
        {state => (
          <>
            <p>
              {reachOf(state.policy)} {heldFrom[state.policy.approval_required_at]}{' '}
              <ForeignText text={state.policy.review_route} className="font-medium" />.
            </p>
            <p className="mt-1 text-sm text-soft">
              Revision {state.revision}, made <Time at={state.created_at} />
            </p>
          </>
        )}
      </Reading>
    </Card>
  )
}

const heldFrom: Readonly<Record<RiskLevel, string>> = {
  low: 'Every allowed action waits for',
  medium: 'From medium risk on an action waits for',
  high: 'A high-risk action waits for',
}

function reachOf({ allowed_systems, allowed_operations }: PolicyState['policy']): string {
  if (allowed_systems.length === 0) return 'Agents may not call any system.'
  const lists = allowed_systems.map(system => allowed_operations[system])
  const named = lists.reduce((sum, list) => sum + (list?.length ?? 0), 0)
  const open = lists.filter(list => list === undefined).length
  const systems = counted(allowed_systems.length, 'system')
  if (open > 0) return `Agents may call ${systems}, ${open} of them without a list of operations.`
  return `Agents may call ${counted(named, 'operation')} on ${systems}.`
}
