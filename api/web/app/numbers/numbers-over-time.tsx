import type { Numbers } from '../../../../shared/contract/action/numbers-schema.ts'
import { formatNumber } from '../../lib/format.ts'
import { Disclosure } from '../../ui/disclosure.tsx'
import { type ChartPart, StepChart } from '../../ui/step-chart.tsx'
import { type Column, Table } from '../../ui/table.tsx'

type Step = Numbers['series'][number]

const verdicts: readonly ChartPart<Step>[] = [
  { name: 'Allowed', tone: 'good', of: ({ allowed }) => allowed },
  { name: 'Held', tone: 'warn', of: ({ held }) => held },
  { name: 'Denied', tone: 'bad', of: ({ denied }) => denied },
]
const ends: readonly ChartPart<Step>[] = [
  { name: 'Executed', tone: 'good', of: ({ executed }) => executed },
  { name: 'Failed', tone: 'bad', of: ({ failed }) => failed },
  { name: 'Unknown', tone: 'odd', of: ({ unknown }) => unknown },
]

const hour = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
})
/** Formats a day in UTC, independently of the browser's time zone. */
const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })

export function NumbersOverTime({ numbers: { series, step } }: { numbers: Numbers }) {
  const labelOf = ({ at }: Step) => (step === 'hour' ? hour : day).format(new Date(at))
  const shared = { steps: series, labelOf, keyOf: ({ at }: Step) => at }
  const columns = [{ title: step === 'hour' ? 'Hour' : 'Day (UTC)', cell: labelOf }, ...countColumns]
  return (
    <div className="border-b border-line">
      <div className="grid gap-6 p-5 lg:grid-cols-2">
        <StepChart title="Decisions" unit="decisions" parts={verdicts} {...shared} />
        <StepChart title="Executions" unit="executions" parts={ends} {...shared} />
      </div>
      <div className="px-5 pb-5">
        <Disclosure label={`The same as a table, by the ${step}`}>
          <Table
            caption={`Numbers by the ${step}, the newest first`}
            columns={columns}
            rows={[...series].reverse()}
            keyOf={({ at }) => at}
          />
        </Disclosure>
      </div>
    </div>
  )
}

const countColumns: readonly Column<Step>[] = [...verdicts, ...ends].map(({ name, of }) => ({
  title: name,
  cell: step => <span className="tabular-nums">{formatNumber(of(step))}</span>,
}))
