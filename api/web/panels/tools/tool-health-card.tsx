import type { ReactNode } from 'react'
import type { ToolHealth } from '../../../../shared/contract/configuration/tool-health-schema.ts'
import { counted, formatExact, formatNumber } from '../../lib/format.ts'
import { useCall } from '../../lib/query.tsx'
import { Card } from '../../ui/card.tsx'
import { Disclosure } from '../../ui/disclosure.tsx'
import { Reading } from '../../ui/state.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { ForeignText } from '../../ui/text.tsx'
import { Time } from '../../ui/time.tsx'
import { useToolPlace } from './tool-place.ts'

type Ended = Pick<ToolHealth, 'executed' | 'failed' | 'unknown'>
type Latency = ToolHealth['latency']

const slowMs = 30_000

export function ToolHealthCard({ system }: { system: string }) {
  const { requests, params } = useToolPlace()
  const query = useCall(requests.health, { params: { ...params, system } }, { every: slowMs })
  return (
    <Card
      title="Last day"
      hint="Actions by how they stand now. The latency is that of the last call, from its record to that of its outcome."
      padded={false}
    >
      <Reading query={query} rows={4}>
        {health => <Health health={health} />}
      </Reading>
    </Card>
  )
}

interface Line extends Ended {
  operation: string | null
  latency: Latency
}

function Health({ health }: { health: ToolHealth }) {
  const { operations, failures, waiting, hours, cut, since } = health
  const ended = health.executed + health.failed + health.unknown
  if (ended === 0 && waiting.length === 0) return <p className="p-5 text-soft">Nothing was called.</p>
  const lines: Line[] = [{ ...health, operation: null }, ...operations]
  return (
    <>
      {cut && (
        <p className="border-b border-line px-5 py-3 text-sm text-soft">
          There were more actions than are counted: these are since <Time at={since} />.
        </p>
      )}
      <Table
        caption="Actions and latency of the last day"
        columns={lineColumns}
        rows={lines}
        keyOf={({ operation }) => operation ?? ''}
      />
      {failures.length > 0 && (
        <Part title="Failures by code">
          <Table
            caption="Failures by code"
            columns={failureColumns}
            rows={failures}
            keyOf={({ operation, code, outcome }) => `${operation} ${code} ${outcome}`}
          />
        </Part>
      )}
      {waiting.length > 0 && (
        <Part title="Jobs that wait">
          <Table
            caption="Jobs that wait"
            columns={waitingColumns}
            rows={waiting}
            keyOf={({ code }) => code ?? ''}
          />
        </Part>
      )}
      {hours.length > 0 && (
        <div className="border-t border-line p-5">
          <Disclosure label={`By the hour: ${counted(hours.length, 'hour')} with calls`}>
            <Table
              caption="Actions by the hour in which they ended"
              columns={hourColumns}
              rows={[...hours].reverse()}
              keyOf={({ at }) => at}
            />
          </Disclosure>
        </div>
      )}
    </>
  )
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="border-t border-line pt-4">
      <h3 className="px-5 text-sm font-medium">{title}</h3>
      {children}
    </div>
  )
}

const number = (count: number) => <span className="tabular-nums">{formatNumber(count)}</span>

const endedColumns: readonly Column<Ended>[] = [
  { title: 'Executed', cell: ({ executed }) => number(executed) },
  { title: 'Failed', cell: ({ failed }) => number(failed) },
  { title: 'Unknown', cell: ({ unknown }) => number(unknown) },
]

const lineColumns: readonly Column<Line>[] = [
  {
    title: 'Operation',
    cell: ({ operation }) =>
      operation === null ? (
        <span className="font-medium">all</span>
      ) : (
        <span className="font-mono text-sm break-all">
          <ForeignText text={operation} />
        </span>
      ),
  },
  ...endedColumns,
  { title: 'p50', cell: ({ latency }) => <Milliseconds ms={latency?.p50_ms} /> },
  { title: 'p95', cell: ({ latency }) => <Milliseconds ms={latency?.p95_ms} /> },
]

function Milliseconds({ ms }: { ms: number | undefined }) {
  if (ms === undefined) return <span className="text-soft">none</span>
  return <span className="tabular-nums">{formatNumber(Math.round(ms))} ms</span>
}

const failureColumns: readonly Column<ToolHealth['failures'][number]>[] = [
  { title: 'Code', cell: ({ code }) => <code className="font-mono text-sm break-all">{code}</code> },
  { title: 'Operation', cell: ({ operation }) => <ForeignText text={operation} /> },
  { title: 'Outcome', cell: ({ outcome }) => outcome },
  { title: 'Actions', cell: ({ count }) => number(count) },
]

const waitingColumns: readonly Column<ToolHealth['waiting'][number]>[] = [
  {
    title: 'Why',
    cell: ({ code }) =>
      code === null ? 'not tried yet' : <code className="font-mono text-sm break-all">{code}</code>,
  },
  { title: 'Jobs', cell: ({ count }) => number(count) },
]

const hourColumns: readonly Column<ToolHealth['hours'][number]>[] = [
  { title: 'Hour', cell: ({ at }) => <time dateTime={at}>{formatExact(at)}</time> },
  ...endedColumns,
]
