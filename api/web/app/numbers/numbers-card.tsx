import { useState } from 'react'
import type { Numbers, NumberWindow } from '../../../../shared/contract/action/numbers-schema.ts'
import { counted } from '../../lib/format.ts'
import { useCall } from '../../lib/query.tsx'
import { Card } from '../../ui/card.tsx'
import { Choice, Field, type Option } from '../../ui/field.tsx'
import { Reading } from '../../ui/state.tsx'
import { NumbersFacts } from './numbers-facts.tsx'
import { NumbersOverTime } from './numbers-over-time.tsx'
import { TopLists } from './top-lists.tsx'

const slowMs = 30_000

const windows: readonly Option<NumberWindow>[] = [
  { value: '24h', label: '24 hours' },
  { value: '7d', label: '7 days' },
  { value: '30d', label: '30 days' },
]

export function NumbersCard({ tenantId }: { tenantId: string }) {
  const [window, choose] = useState<NumberWindow>('24h')
  const query = useCall(
    'read_owned_numbers',
    { params: { tenant_id: tenantId }, query: { window } },
    { every: slowMs },
  )
  return (
    <Card
      title="Numbers"
      hint="An event counts in the time in which it was recorded."
      actions={
        <Field label="Window" bare>
          <Choice<NumberWindow> options={windows} value={window} onChoose={choose} />
        </Field>
      }
      padded={false}
    >
      <Reading query={query} rows={6}>
        {numbers => <Shown numbers={numbers} />}
      </Reading>
    </Card>
  )
}

function Shown({ numbers }: { numbers: Numbers }) {
  return (
    <>
      {numbers.behind > 0 && (
        <p className="border-b border-line px-5 py-3 text-sm text-soft">
          {counted(numbers.behind, 'event')} of the log not counted yet.
        </p>
      )}
      <NumbersFacts numbers={numbers} />
      <NumbersOverTime key={numbers.window} numbers={numbers} />
      <TopLists numbers={numbers} />
    </>
  )
}
