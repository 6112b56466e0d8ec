import { useEffect, useRef, useState } from 'react'
import { Link, Navigate, useParams } from 'react-router'
import { ProblemError } from '../../lib/call.ts'
import { useCall } from '../../lib/query.tsx'
import { useFreshKey } from '../../lib/session/fresh-keys.ts'
import { useMay } from '../../lib/session/may.ts'
import { Card } from '../../ui/card.tsx'
import { Page } from '../../ui/layout/page.tsx'
import { ProblemNote, Skeleton } from '../../ui/state.tsx'
import { ForeignText } from '../../ui/text.tsx'
import { FirstRun } from '../onboarding/first-run.tsx'
import { StoreKey } from '../onboarding/store-key.tsx'
import { ApplicationHome } from './application-home.tsx'

export function OverviewPage() {
  const { tenantId = '' } = useParams()
  const may = useMay()
  if (!may('list_owned_actions')) return <Navigate to={`/a/${tenantId}/approvals`} replace />
  return <Overview key={tenantId} tenantId={tenantId} />
}

function Overview({ tenantId }: { tenantId: string }) {
  const freshKey = useFreshKey(tenantId)
  const may = useMay()
  const actions = useCall(
    'list_owned_actions',
    { params: { tenant_id: tenantId }, query: { limit: '20' } },
    { every: 5_000 },
  )
  const list = actions.data?.actions
  const [began, setBegan] = useState(false)
  if (list?.length === 0 && !began) setBegan(true)
  const [skipped, setSkipped] = useState(false)
  const name = <ApplicationName tenantId={tenantId} />
  const storing = freshKey !== null && !freshKey.stored
  useFocusAfter(`${storing} ${skipped}`)

  const firstRun = list && began && !skipped && may('mint_owned_key')
  if (storing && !firstRun && (list || actions.error))
    return <StoreKey tenantId={tenantId} freshKey={freshKey} name={name} />
  if (!list)
    return (
      <Page title="Overview" lead={name}>
        {actions.error ? (
          <Unreadable error={actions.error} retry={() => void actions.refetch()} />
        ) : (
          <Card>
            <Skeleton rows={6} className="p-0" />
          </Card>
        )}
      </Page>
    )
  return firstRun ? (
    <FirstRun tenantId={tenantId} name={name} first={list.at(-1) ?? null} onDone={() => setSkipped(true)} />
  ) : (
    <ApplicationHome tenantId={tenantId} name={name} actions={list} error={actions.error} />
  )
}

/** Focuses the new content after each stage, because the button that had the focus has disappeared. */
function useFocusAfter(stage: string): void {
  const last = useRef(stage)
  useEffect(() => {
    if (last.current !== stage) document.getElementById('content')?.focus()
    last.current = stage
  }, [stage])
}

function ApplicationName({ tenantId }: { tenantId: string }) {
  const { data } = useCall('list_owned_tenants', { query: { limit: '200' } })
  return (
    <ForeignText text={data?.tenants.find(({ tenant_id }) => tenant_id === tenantId)?.name ?? tenantId} />
  )
}

function Unreadable({ error, retry }: { error: Error; retry(): void }) {
  const gone = error instanceof ProblemError && error.problem.code === 'tenant_not_found'
  if (!gone) return <ProblemNote error={error} onRetry={retry} />
  return (
    <Card>
      <p>There is no such application in your organization.</p>
      <p className="mt-2">
        <Link to="/applications" className="rounded font-medium text-accent underline">
          See your applications
        </Link>
      </p>
    </Card>
  )
}
