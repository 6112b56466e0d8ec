import { useState } from 'react'
import { useNavigate, useSearchParams } from 'react-router'
import type { ToolProposal } from '../../../../shared/contract/configuration/tool-import.ts'
import { useAct } from '../../lib/query.tsx'
import { Page } from '../../ui/layout/page.tsx'
import { useSay } from '../../ui/toast.tsx'
import { ProposalReview } from './proposal-review.tsx'
import { SourceForm } from './source-form.tsx'
import { pathOfTool, trailTo, useToolPlace } from './tool-place.ts'
import { emptySource, importOf, secretOf } from './tool-source.ts'

/** Adds a tool, or looks for what its source changed: first the source, then what would be in force. */
export function AddToolPage() {
  const place = useToolPlace()
  const { requests, params } = place
  const [search] = useSearchParams()
  const system = search.get('system')
  const [draft, setDraft] = useState({ ...emptySource, system: system ?? '' })
  const [proposal, setProposal] = useState<ToolProposal | null>(null)
  const look = useAct(requests.look)
  return (
    <Page
      title={system === null ? 'Add a tool' : `What ${system} changed`}
      lead="The service reads the source and proposes schemas, risks and rules. You choose what agents may call."
      trail={trailTo(place)}
    >
      {proposal ? (
        <Apply
          key={proposal.source_digest + proposal.version}
          proposal={proposal}
          secret={secretOf(draft)}
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

function Apply({
  proposal,
  secret,
  onBack,
}: {
  proposal: ToolProposal
  /** Is stored once the tool is there. */
  secret: { name: string; value: string } | null
  onBack(): void
}) {
  const place = useToolPlace()
  const { requests, params } = place
  const stale = [requests.list, requests.read, requests.secrets]
  const change = useAct(requests.change, { stale })
  const put = useAct(requests.put_secret, { stale: [requests.secrets] })
  const navigate = useNavigate()
  const say = useSay()
  const { system, actuator, operations, version } = proposal
  // Its page shows the secret as missing where this fails, and takes it again.
  const store = (): void => {
    if (secret === null) return
    const { name, value } = secret
    put.mutate({ params: { ...params, name }, body: { actuator: system, value } })
  }
  const apply = (allowed: string[]): void =>
    change.mutate(
      {
        params: { ...params, system },
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
          store()
          void navigate(pathOfTool(place, system))
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
