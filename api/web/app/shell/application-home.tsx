import type { ReactNode } from 'react'
import type { ActionSummary } from '../../../../shared/contract/action/action.ts'
import { useFreshKey } from '../../lib/session/fresh-keys.ts'
import { useMay } from '../../lib/session/may.ts'
import { ChevronRight } from '../../pictures/icons.ts'
import { Page } from '../../ui/layout/page.tsx'
import { ProblemNote } from '../../ui/state.tsx'
import { WaitingForYou } from '../approvals/waiting-for-you.tsx'
import { LatestActions } from '../history/latest-actions.tsx'
import { NumbersCard } from '../numbers/numbers-card.tsx'
import { SnippetTabs } from '../onboarding/snippet-tabs.tsx'
import { PolicyLine } from '../policy/policy-line.tsx'
import { Warnings } from '../policy/warnings-list.tsx'

export function ApplicationHome({
  tenantId,
  name,
  actions,
  error,
}: {
  tenantId: string
  name: ReactNode
  actions: readonly ActionSummary[]
  error: Error | null
}) {
  const may = useMay()
  return (
    <Page title="Overview" lead={name}>
      <div className="flex flex-col gap-4">
        {error && <ProblemNote error={error} />}
        {may('list_owned_approvals') && <WaitingForYou tenantId={tenantId} />}
        <Warnings tenantId={tenantId} actions={actions} />
        {may('read_owned_numbers') && <NumbersCard tenantId={tenantId} />}
        <LatestActions tenantId={tenantId} actions={actions.slice(0, 8)} />
        <PolicyLine tenantId={tenantId} />
        {may('mint_owned_key') && <Connect tenantId={tenantId} />}
      </div>
    </Page>
  )
}

function Connect({ tenantId }: { tenantId: string }) {
  const freshKey = useFreshKey(tenantId)
  return (
    <details className="group rounded-xl border border-line bg-surface shadow-card">
      <summary className="flex cursor-pointer list-none items-center gap-2 rounded-xl px-5 py-3.5 font-semibold hover:bg-sunken">
        <ChevronRight className="size-4 text-soft transition-transform group-open:rotate-90" aria-hidden />
        Connect another agent
      </summary>
      <div className="border-t border-line p-5">
        <SnippetTabs tenantId={tenantId} secret={freshKey?.secret ?? null} />
      </div>
    </details>
  )
}
