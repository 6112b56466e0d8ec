import { useParams } from 'react-router'
import type { PolicyState } from '../../../../shared/contract/configuration/tenant.ts'
import { useCall } from '../../lib/query.tsx'
import { RevisionFacts } from '../../panels/diff/revision-facts.tsx'
import { ForeignJson } from '../../panels/json/foreign-json.tsx'
import { PolicyView } from '../../panels/policy-view.tsx'
import { Pencil } from '../../pictures/icons.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'

export function PolicyInForce({ state, onEdit }: { state: PolicyState; onEdit: (() => void) | null }) {
  const { tenantId = '' } = useParams()
  const tools = useCall('list_owned_tools', { params: { tenant_id: tenantId } })
  const { policy, policy_hash, ...meta } = state
  return (
    <div className="grid items-start gap-5 lg:grid-cols-[minmax(0,1fr)_22rem]">
      <Card
        title="What it says"
        actions={
          onEdit && (
            <Button size="small" onClick={onEdit}>
              <Pencil className="size-4" aria-hidden /> Edit
            </Button>
          )
        }
      >
        <PolicyView policy={policy} tools={tools.data?.tools} />
      </Card>
      <Card title="This revision">
        <RevisionFacts meta={{ ...meta, hash: policy_hash }} />
      </Card>
      <Card title="As JSON" className="lg:col-span-2">
        <ForeignJson value={policy} label="Policy in force" />
      </Card>
    </div>
  )
}
