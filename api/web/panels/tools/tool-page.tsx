import { useState } from 'react'
import { useNavigate, useParams } from 'react-router'
import type { ToolView } from '../../../../shared/contract/configuration/tool-import.ts'
import { useAct, useCall } from '../../lib/query.tsx'
import { useMay } from '../../lib/session/may.ts'
import { Button, ButtonLink } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Page } from '../../ui/layout/page.tsx'
import { Reading } from '../../ui/state.tsx'
import { RiskBadge } from '../../ui/status.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { ForeignText } from '../../ui/text.tsx'
import { AccessNote } from '../access.tsx'
import { Confirm } from '../confirm.tsx'
import { IssueList } from '../json/issue-list.tsx'
import { StopTool } from './stop-tool.tsx'
import { ToolCredentials } from './tool-credentials.tsx'
import { ToolHealthCard } from './tool-health-card.tsx'
import { trailTo, useToolPlace } from './tool-place.ts'
import { TryOperation } from './try-operation.tsx'

type Operation = ToolView['operations'][number]

export function ToolPage() {
  const { system = '' } = useParams()
  const place = useToolPlace()
  const [removing, setRemoving] = useState(false)
  const may = useMay()
  const { requests } = place
  const query = useCall(requests.read, { params: { ...place.params, system } })
  return (
    <Page
      title={system}
      lead="What agents may call here, and what each call needs."
      trail={trailTo(place)}
      actions={
        <>
          {may(requests.look) && (
            <ButtonLink to={`${place.home}/add?system=${encodeURIComponent(system)}`}>
              Look for changes
            </ButtonLink>
          )}
          {may(requests.pause) && <StopTool system={system} effect="pause" />}
          {may(requests.freeze) && <StopTool system={system} effect="freeze" />}
          {may(requests.remove) && (
            <Button variant="danger" onClick={() => setRemoving(true)}>
              Remove
            </Button>
          )}
        </>
      }
    >
      <Reading query={query} rows={8}>
        {tool => (
          <div className="flex flex-col gap-4">
            <IssueList
              tone="warn"
              issues={tool.warnings.map(warning => ({ ...warning, line: null }))}
              onJump={() => undefined}
            />
            {ownerMayText[tool.owner_may] && <p className="text-soft">{ownerMayText[tool.owner_may]}</p>}
            <Card title="Operations" padded={false}>
              <Table
                caption="Operations"
                columns={columns}
                rows={tool.operations}
                keyOf={({ operation }) => operation}
              />
            </Card>
            <ToolHealthCard system={system} />
            {may(requests.secrets) && <ToolCredentials system={system} />}
            {may(requests.test) && <TryOperation system={system} operations={tool.operations} />}
          </div>
        )}
      </Reading>
      <RemoveTool system={system} open={removing} onClose={() => setRemoving(false)} />
    </Page>
  )
}

/** Explains what an owner may change. Null for a tool that an owner registered, since nothing restricts it. */
const ownerMayText: Record<ToolView['owner_may'], string | null> = {
  change_all: null,
  change_at_its_places:
    'The operator registered this tool and lets an owner change what it sends, at the same addresses.',
  narrow:
    'The operator registered this tool: an owner may remove operations and lower its bounds, and nothing else.',
}

const columns: readonly Column<Operation>[] = [
  {
    title: 'Operation',
    cell: ({ operation, entry }) => (
      <>
        <span className="font-medium break-words">
          <ForeignText text={entry?.title ?? operation} />
        </span>
        <span className="block font-mono text-sm break-all text-soft">
          <ForeignText text={operation} />
        </span>
      </>
    ),
  },
  {
    title: 'Risk',
    cell: ({ entry }) =>
      entry ? (
        <RiskBadge level={entry.minimum_risk} label={`at least ${entry.minimum_risk}`} />
      ) : (
        <span className="text-soft">not in the catalog</span>
      ),
  },
  {
    title: 'What comes of calls',
    cell: ({ access }) => <AccessNote access={access} />,
  },
]

function RemoveTool({ system, open, onClose }: { system: string; open: boolean; onClose(): void }) {
  const { requests, params, home } = useToolPlace()
  const remove = useAct(requests.remove, { stale: [requests.list, requests.secrets] })
  const navigate = useNavigate()
  return (
    <Confirm
      open={open}
      onClose={onClose}
      act={remove}
      input={() => ({ params: { ...params, system } })}
      title={`Remove ${system}?`}
      label="Remove it"
      done={`${system} is removed`}
      danger
      onDone={() => void navigate(home)}
    >
      <p>
        Its actuator, its catalog entries and its rules go together. Every later proposal for it is denied.
      </p>
    </Confirm>
  )
}
