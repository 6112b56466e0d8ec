import { counted } from '../../lib/format.ts'
import { catalogSkeleton, skeletonOperationsMax } from '../../lib/policy/catalog-skeleton.ts'
import { countOperations } from '../../lib/policy/policy-rows.ts'
import { draftText } from '../../lib/policy/read-draft.ts'
import { useCall } from '../../lib/query.tsx'
import { BookOpen } from '../../pictures/icons.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Empty, ProblemNote } from '../../ui/state.tsx'

export function CatalogStart({
  tenantId,
  dirty,
  onBegin,
  onEdit,
}: {
  tenantId: string
  dirty: boolean
  onBegin(text: string): void
  /** Null if the person may not create a catalog. */
  onEdit: (() => void) | null
}) {
  const policy = useCall('read_owned_policy', { params: { tenant_id: tenantId } })
  const named = policy.data ? countOperations(policy.data.policy) : 0
  return (
    <Card padded={false}>
      <Empty icon={BookOpen} title="No operation has been reviewed yet">
        <p>
          A catalog says what each operation really does, so that the agent is not the only one to say how
          risky it is. The gate then takes the higher of the two risks, checks the parameters against a
          schema, and shows reviewers what can be undone.
        </p>
        <p className="mt-2">
          It is a closed list: once there is one, an operation that is not in it is denied.
        </p>
        {onEdit && (
          <div className="mt-5 flex flex-wrap justify-center gap-2">
            {dirty ? (
              <Button variant="primary" onClick={onEdit}>
                Go on with your draft
              </Button>
            ) : (
              <>
                <Button
                  variant="primary"
                  disabled={named === 0}
                  onClick={() => policy.data && onBegin(draftText(catalogSkeleton(policy.data.policy)))}
                >
                  Start from the policy
                </Button>
                <Button onClick={onEdit}>Start empty</Button>
              </>
            )}
          </div>
        )}
        {policy.error && <ProblemNote error={policy.error} className="mt-4 text-left" />}
        {onEdit && !dirty && named > 0 && (
          <p className="mt-3">
            It fills in {counted(Math.min(named, skeletonOperationsMax), 'operation')} that the policy names
            {named > skeletonOperationsMax && ` (of ${counted(named, 'operation')})`}, assuming the worst of
            each. Nothing is saved until you say so.
          </p>
        )}
      </Empty>
    </Card>
  )
}
