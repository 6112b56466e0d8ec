import { useEffect, useRef, useState } from 'react'
import { useNavigate, useSearchParams } from 'react-router'
import type { ToolProposal } from '../../../../shared/contract/configuration/tool-import.ts'
import { useAct, useCall } from '../../lib/query.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Page } from '../../ui/layout/page.tsx'
import { ProblemNote, Reading, Skeleton } from '../../ui/state.tsx'
import { useSay } from '../../ui/toast.tsx'
import { ProposalReview } from './proposal-review.tsx'
import { SourceForm } from './source-form.tsx'
import { pathOfTool, trailTo, useToolPlace } from './tool-place.ts'
import { emptySource, importOf, type SourceDraft, secretOf, sourceOfTool } from './tool-source.ts'

export function AddToolPage() {
  const place = useToolPlace()
  const [search] = useSearchParams()
  const system = search.get('system')
  return (
    <Page
      title={system === null ? 'Add a tool' : `What ${system} changed`}
      lead="The service reads the source and proposes schemas, risks and rules. You choose what agents may call."
      trail={trailTo(place)}
    >
      {system === null ? (
        <ImportTool first={emptySource} fixed={false} />
      ) : (
        <LookForChanges system={system} />
      )}
    </Page>
  )
}

/**
 * Reads a registered MCP server at once, because its address is stored. The source of another tool is not stored,
 * so that the person must enter it again.
 */
function LookForChanges({ system }: { system: string }) {
  const { requests, params } = useToolPlace()
  const query = useCall(requests.read, { params: { ...params, system } })
  return (
    <Reading query={query} rows={6}>
      {tool => <ImportTool first={sourceOfTool(tool)} fixed />}
    </Reading>
  )
}

function ImportTool({ first, fixed }: { first: SourceDraft; fixed: boolean }) {
  const { requests, params } = useToolPlace()
  const [draft, setDraft] = useState(first)
  const [proposal, setProposal] = useState<ToolProposal | null>(null)
  const [typing, setTyping] = useState(false)
  const look = useAct(requests.look)
  const submit = (): void => look.mutate({ params, body: importOf(draft) }, { onSuccess: setProposal })
  const atOnce = useRef(draft.registered === null ? null : submit)
  useEffect(() => {
    atOnce.current?.()
    atOnce.current = null
  }, [])
  if (proposal)
    return (
      <Apply
        key={proposal.source_digest + proposal.version}
        proposal={proposal}
        secret={secretOf(draft)}
        onBack={() => setProposal(null)}
      />
    )
  if (draft.registered && !typing && !look.error) return <Skeleton rows={6} />
  if (draft.registered?.type === 'stdio' && look.error)
    return <ProblemNote error={look.error} onRetry={submit} />
  return (
    <SourceForm
      draft={draft}
      onChange={next => {
        look.reset()
        setTyping(true)
        const isSameServer = next.kind === draft.kind && next.text === draft.text
        setDraft({ ...next, registered: isSameServer ? draft.registered : null })
      }}
      onSubmit={submit}
      busy={look.isPending}
      error={look.error}
      fixed={fixed}
    />
  )
}

interface Storing {
  name: string
  value: string
}

function Apply({
  proposal,
  secret,
  onBack,
}: {
  proposal: ToolProposal
  secret: Storing | null
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
  const leave = (): void => void navigate(pathOfTool(place, system))
  const store = ({ name, value }: Storing): void =>
    put.mutate({ params: { ...params, name }, body: { actuator: system, value } }, { onSuccess: leave })
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
          if (secret === null) leave()
          else store(secret)
        },
      },
    )
  if (change.isSuccess && secret !== null)
    return (
      <StoreSecret {...{ system, put }} name={secret.name} onStore={() => store(secret)} onLeave={leave} />
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

/**
 * Keeps the person on the page until the secret is stored, because the tool is already in force and needs the
 * secret.
 */
function StoreSecret({
  system,
  name,
  put,
  onStore,
  onLeave,
}: {
  system: string
  name: string
  put: { isPending: boolean; error: Error | null }
  onStore(): void
  onLeave(): void
}) {
  return (
    <Card
      title={put.error ? `${name} is not stored` : `Storing ${name}`}
      hint={`${system} is in force. Its calls wait for ${name}.`}
    >
      <div className="flex flex-col gap-4">
        {put.error && <ProblemNote error={put.error} />}
        <div className="flex flex-wrap justify-end gap-2">
          <Button disabled={put.isPending} onClick={onLeave}>
            Set it later
          </Button>
          <Button variant="primary" busy={put.isPending} onClick={onStore}>
            Store it again
          </Button>
        </div>
      </div>
    </Card>
  )
}
