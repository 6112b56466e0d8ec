import { Choice, Field, TextInput } from '../../ui/field.tsx'
import { statusLabel, statusNames } from '../../ui/status.tsx'
import type { Filters } from './use-history-filters.ts'

const statusOptions = [
  { value: '' as const, label: 'Any status' },
  ...statusNames.map(status => ({ value: status, label: statusLabel(status) })),
]
const riskOptions = [
  { value: '' as const, label: 'Any risk' },
  { value: 'low' as const, label: 'Low risk' },
  { value: 'medium' as const, label: 'Medium risk' },
  { value: 'high' as const, label: 'High risk' },
]

/** What is looked for in the history. */
export function HistoryFilters({
  filters: { status, risk, text },
  onChange,
}: {
  filters: Filters
  onChange(changed: Partial<Filters>): void
}) {
  return (
    <search className="mb-4 grid grid-cols-2 gap-3 sm:grid-cols-[minmax(0,1fr)_13rem_10rem]">
      <Field label="Search" bare className="col-span-2 sm:col-span-1">
        <TextInput
          type="search"
          placeholder="Agent, summary, system, operation or id"
          value={text}
          onChange={event => onChange({ text: event.currentTarget.value })}
        />
      </Field>
      <Field label="Status" bare>
        <Choice value={status} options={statusOptions} onChoose={chosen => onChange({ status: chosen })} />
      </Field>
      <Field label="Risk" bare>
        <Choice value={risk} options={riskOptions} onChoose={chosen => onChange({ risk: chosen })} />
      </Field>
    </search>
  )
}
