import { Link } from 'react-router'
import { accessCounts } from '../../../../shared/contract/access/access-words.ts'
import type { Answered } from '../../lib/call.ts'
import { counted } from '../../lib/format.ts'
import { useCall } from '../../lib/query.tsx'
import { useMay } from '../../lib/session/may.ts'
import { PlugZap, Plus } from '../../pictures/icons.ts'
import { ButtonLink } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Empty, Reading } from '../../ui/state.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { ForeignText } from '../../ui/text.tsx'
import { pathOfTool, type ToolPlace, useToolPlace } from './tool-place.ts'

type Tool = Answered<'list_owned_tools'>['tools'][number]

export function AddToolLink() {
  const { home, requests } = useToolPlace()
  const may = useMay()
  if (!may(requests.look)) return null
  return (
    <ButtonLink variant="primary" to={`${home}/add`}>
      <Plus className="size-4" aria-hidden /> Add a tool
    </ButtonLink>
  )
}

export function ToolList() {
  const place = useToolPlace()
  const query = useCall(place.requests.list, { params: place.params })
  return (
    <Card padded={false}>
      <Reading query={{ ...query, data: query.data?.tools }} rows={5}>
        {tools =>
          tools.length === 0 ? (
            <Empty icon={PlugZap} title="No tools">
              <p className="mb-4">Import an OpenAPI document or an MCP server to begin.</p>
              <AddToolLink />
            </Empty>
          ) : (
            <Table caption="Tools" columns={columnsFor(place)} rows={tools} keyOf={({ system }) => system} />
          )
        }
      </Reading>
    </Card>
  )
}

function columnsFor(place: ToolPlace): Column<Tool>[] {
  return [
    {
      title: 'System',
      cell: ({ system }) => (
        <Link
          to={pathOfTool(place, system)}
          className="inline-flex min-h-6 items-center rounded font-medium break-all hover:underline"
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
      cell: ({ operations }) => (
        <>
          {counted(
            Object.values(operations).reduce((sum, count) => sum + count, 0),
            'operation',
          )}
          <span className="block text-sm text-soft">{accessCounts(operations)}</span>
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
