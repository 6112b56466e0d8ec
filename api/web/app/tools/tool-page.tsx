import { useState } from 'react'
import { useNavigate, useParams } from 'react-router'
import type { ToolView } from '../../../../shared/contract/configuration/tool-import.ts'
import { useAct, useCall } from '../../lib/query.tsx'
import { Confirm } from '../../panels/confirm.tsx'
import { IssueList } from '../../panels/json/issue-list.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button, ButtonLink } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Page } from '../../ui/layout/page.tsx'
import { Reading } from '../../ui/state.tsx'
import { RiskBadge } from '../../ui/status.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { ForeignText } from '../../ui/text.tsx'
import { PauseTool } from './pause-tool.tsx'
import { ToolCredentials } from './tool-credentials.tsx'
import { TryOperation } from './try-operation.tsx'

type Operation = ToolView['operations'][number]

/** One tool: its operations and what the policy says of them, its credentials, and a way to try it. */
export function ToolPage() {
  const { tenantId = '', system = '' } = useParams()
  const [removing, setRemoving] = useState(false)
  const query = useCall('read_owned_tool', { params: { tenant_id: tenantId, system } })
  return (
    <Page
      title={system}
      lead="What agents may call here, and what each call needs."
      trail={[{ to: `/a/${tenantId}/tools`, label: 'Tools' }]}
      actions={
        <>
          <ButtonLink to={`/a/${tenantId}/tools/add?system=${encodeURIComponent(system)}`}>
            Look for changes
          </ButtonLink>
          <PauseTool tenantId={tenantId} system={system} />
          <Button variant="danger" onClick={() => setRemoving(true)}>
            Remove
          </Button>
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
            <Card title="Operations" padded={false}>
              <Table
                caption="Operations"
                columns={columns}
                rows={tool.operations}
                keyOf={({ operation }) => operation}
              />
            </Card>
            <ToolCredentials tenantId={tenantId} system={system} />
            <TryOperation tenantId={tenantId} system={system} operations={tool.operations} />
          </div>
        )}
      </Reading>
      <RemoveTool tenantId={tenantId} system={system} open={removing} onClose={() => setRemoving(false)} />
    </Page>
  )
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
    title: 'Policy',
    cell: ({ allowed, held }) => {
      if (!allowed) return <Badge tone="bad">denied</Badge>
      return held ? <Badge tone="warn">a person decides</Badge> : <Badge tone="good">allowed</Badge>
    },
  },
]

function RemoveTool({
  tenantId,
  system,
  open,
  onClose,
}: {
  tenantId: string
  system: string
  open: boolean
  onClose(): void
}) {
  const remove = useAct('remove_owned_tool', { stale: ['list_owned_tools', 'list_owned_secrets'] })
  const navigate = useNavigate()
  return (
    <Confirm
      open={open}
      onClose={onClose}
      act={remove}
      input={() => ({ params: { tenant_id: tenantId, system } })}
      title={`Remove ${system}?`}
      label="Remove it"
      done={`${system} is removed`}
      danger
      onDone={() => void navigate(`/a/${tenantId}/tools`)}
    >
      <p>
        Its actuator, its catalog entries and its rules go together. Every later proposal for it is denied.
      </p>
    </Confirm>
  )
}
