import { useState } from 'react'
import { useNavigate, useParams, useSearchParams } from 'react-router'
import type { ToolProposal } from '../../../../shared/contract/configuration/tool-import.ts'
import { useAct } from '../../lib/query.tsx'
import { Page } from '../../ui/layout/page.tsx'
import { useSay } from '../../ui/toast.tsx'
import { ProposalReview } from './proposal-review.tsx'
import { SourceForm } from './source-form.tsx'
import { emptySource, importOf } from './tool-source.ts'

/** Adds a tool, or looks for what its source changed: first the source, then what would be in force. */
export function AddToolPage() {
  const { tenantId = '' } = useParams()
  const [search] = useSearchParams()
  const system = search.get('system')
  const [draft, setDraft] = useState({ ...emptySource, system: system ?? '' })
  const [proposal, setProposal] = useState<ToolProposal | null>(null)
  const look = useAct('import_owned_tool')
  const params = { tenant_id: tenantId }
  return (
    <Page
      title={system === null ? 'Add a tool' : `What ${system} changed`}
      lead="The service reads the source and proposes schemas, risks and rules. You choose what agents may call."
      trail={[{ to: `/a/${tenantId}/tools`, label: 'Tools' }]}
    >
      {proposal ? (
        <Apply
          key={proposal.source_digest + proposal.version}
          tenantId={tenantId}
          proposal={proposal}
          onBack={() => setProposal(null)}
        />
      ) : (
        <SourceForm
          draft={draft}
          onChange={next => {
            look.reset()
            setDraft(next)
          }}
          onSubmit={() => look.mutate({ params, body: importOf(draft) }, { onSuccess: setProposal })}
          busy={look.isPending}
          error={look.error}
          fixed={system !== null}
        />
      )}
    </Page>
  )
}

function Apply({ tenantId, proposal, onBack }: { tenantId: string; proposal: ToolProposal; onBack(): void }) {
  const stale = ['list_owned_tools', 'read_owned_tool', 'list_owned_secrets'] as const
  const change = useAct('change_owned_tool', { stale })
  const navigate = useNavigate()
  const say = useSay()
  const { system, actuator, operations, version } = proposal
  const apply = (allowed: string[]): void =>
    change.mutate(
      {
        params: { tenant_id: tenantId, system },
        body: {
          actuator,
          operations: operations.flatMap(({ entry }) => (entry === null ? [] : [entry])),
          allowed,
          expected_version: version,
        },
      },
      {
        onSuccess: ({ policy_revision }) => {
          say({ title: `${system} is in force`, detail: `Policy revision ${policy_revision}.`, tone: 'good' })
          void navigate(`/a/${tenantId}/tools/at/${encodeURIComponent(system)}`)
        },
      },
    )
  return (
    <ProposalReview
      proposal={proposal}
      busy={change.isPending}
      error={change.error}
      onApply={apply}
      onBack={onBack}
    />
  )
}
