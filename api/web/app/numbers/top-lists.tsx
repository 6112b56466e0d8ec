import type { Numbers } from '../../../../shared/contract/action/numbers-schema.ts'
import { formatNumber } from '../../lib/format.ts'
import { type Column, Table } from '../../ui/table.tsx'
import { ForeignText } from '../../ui/text.tsx'

export function TopLists({ numbers: { agents, reasons } }: { numbers: Numbers }) {
  if (agents.length === 0) return <p className="p-5 text-soft">Nothing was decided in this time.</p>
  return (
    <div className="grid lg:grid-cols-2">
      <section className="min-w-0 pt-4">
        <h3 className="px-5 text-sm font-medium">Top agents</h3>
        <Table
          caption="Top agents"
          columns={agentColumns}
          rows={agents}
          keyOf={({ agent_id }) => agent_id ?? ''}
        />
      </section>
      <section className="min-w-0 border-t border-line pt-4 lg:border-t-0 lg:border-l">
        <h3 className="px-5 text-sm font-medium">Why proposals were denied</h3>
        {reasons.length === 0 ? (
          <p className="px-5 py-3 text-soft">Nothing was denied.</p>
        ) : (
          <Table
            caption="Why proposals were denied"
            columns={reasonColumns}
            rows={reasons}
            keyOf={({ code }) => code}
          />
        )}
      </section>
    </div>
  )
}

const number = (count: number) => <span className="tabular-nums">{formatNumber(count)}</span>

const agentColumns: readonly Column<Numbers['agents'][number]>[] = [
  {
    title: 'Agent',
    cell: ({ agent_id }) =>
      agent_id === null ? (
        <span className="text-soft">erased, or one of many others</span>
      ) : (
        <span className="break-all">
          <ForeignText text={agent_id} />
        </span>
      ),
  },
  { title: 'Allowed', cell: ({ allowed }) => number(allowed) },
  { title: 'Held', cell: ({ held }) => number(held) },
  { title: 'Denied', cell: ({ denied }) => number(denied) },
]

const reasonColumns: readonly Column<Numbers['reasons'][number]>[] = [
  { title: 'Reason', cell: ({ code }) => <code className="font-mono text-sm break-all">{code}</code> },
  { title: 'Verdicts', cell: ({ count }) => number(count) },
]
