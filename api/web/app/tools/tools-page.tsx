import { Link, useParams } from 'react-router'
import type { Answered } from '../../lib/call.ts'
import { counted } from '../../lib/format.ts'
import { useCall } from '../../lib/query.tsx'
import { PlugZap, Plus } from '../../pictures/icons.ts'
import { ButtonLink } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Page } from '../../ui/layout/page.tsx'
import { Empty, Reading } from '../../ui/state.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { ForeignText } from '../../ui/text.tsx'

type Tool = Answered<'list_owned_tools'>['tools'][number]

/** The systems that agents of an application can change, and a way to add one. */
export function ToolsPage() {
  const { tenantId = '' } = useParams()
  const query = useCall('list_owned_tools', { params: { tenant_id: tenantId } })
  const add = (
    <ButtonLink variant="primary" to={`/a/${tenantId}/tools/add`}>
      <Plus className="size-4" aria-hidden /> Add a tool
    </ButtonLink>
  )
  return (
    <Page
      title="Tools"
      lead="Each tool is a system that the service calls for your agents. The policy decides every call."
      actions={add}
    >
      <Card padded={false}>
        <Reading query={{ ...query, data: query.data?.tools }} rows={5}>
          {tools =>
            tools.length === 0 ? (
              <Empty icon={PlugZap} title="No tools">
                <p className="mb-4">Import an OpenAPI document or an MCP server to begin.</p>
                {add}
              </Empty>
            ) : (
              <Table
                caption="Tools"
                columns={columnsFor(tenantId)}
                rows={tools}
                keyOf={({ system }) => system}
              />
            )
          }
        </Reading>
      </Card>
    </Page>
  )
}

function columnsFor(tenantId: string): Column<Tool>[] {
  return [
    {
      title: 'System',
      cell: ({ system }) => (
        <Link
          to={`/a/${tenantId}/tools/at/${encodeURIComponent(system)}`}
          className="rounded font-medium break-all hover:underline"
        >
          <ForeignText text={system} />
        </Link>
      ),
    },
    { title: 'Kind', cell: ({ kind }) => kind ?? 'no actuator' },
    {
      title: 'Address',
      cell: ({ address }) =>
        address === null ? <span className="text-soft">none</span> : <Address text={address} />,
    },
    {
      title: 'Operations',
      cell: ({ operations, allowed, held }) => (
        <>
          {counted(operations, 'operation')}
          <span className="block text-sm text-soft">
            {allowed} allowed, {held} of them held for a person
          </span>
        </>
      ),
    },
  ]
}

function Address({ text }: { text: string }) {
  return (
    <span className="font-mono text-sm break-all">
      <ForeignText text={text} />
    </span>
  )
}
