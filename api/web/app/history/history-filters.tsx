import { useEffect, useState } from 'react'
import { limits } from '../../../../shared/contract/base/limits.ts'
import { useRested } from '../../lib/rested.ts'
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

const typedFields = [
  { member: 'search', label: 'Search', placeholder: 'Search, or amount:250', max: limits.search_length_max },
  { member: 'agent_id', label: 'Agent', placeholder: 'Any agent', max: limits.identifier_length_max },
  {
    member: 'operation',
    label: 'Operation',
    placeholder: 'Any operation',
    max: limits.identifier_length_max,
  },
] as const
/** What is looked for in the history. */
export function HistoryFilters({
  filters,
  onChange,
}: {
  filters: Filters
  onChange(changed: Partial<Filters>): void
}) {
  return (
    <search className="mb-4 grid grid-cols-2 gap-3 lg:grid-cols-[minmax(0,2fr)_repeat(2,minmax(0,1fr))]">
      {typedFields.map(({ member, ...field }) => (
        <TypedFilter
          key={member}
          {...field}
          value={filters[member]}
          className={member === 'search' ? 'col-span-2 lg:col-span-1' : ''}
          onRest={text => onChange({ [member]: text })}
        />
      ))}
      <div className="col-span-2 grid grid-cols-2 gap-3 sm:grid-cols-4 lg:col-span-3">
        <Field label="Status">
          <Choice value={filters.status} options={statusOptions} onChoose={status => onChange({ status })} />
        </Field>
        <Field label="Risk">
          <Choice value={filters.risk} options={riskOptions} onChoose={risk => onChange({ risk })} />
        </Field>
        <Field label="From">
          <TextInput
            type="date"
            value={filters.from}
            onChange={event => onChange({ from: event.currentTarget.value })}
          />
        </Field>
        <Field label="Until">
          <TextInput
            type="date"
            value={filters.to}
            onChange={event => onChange({ to: event.currentTarget.value })}
          />
        </Field>
      </div>
    </search>
  )
}

interface TypedFilterProps {
  label: string
  placeholder: string
  max: number
  value: string
  className: string
  onRest(text: string): void
}

/** A text that is looked for once it rests. What is typed is shown until it is what is looked for. */
function TypedFilter({ label, placeholder, max, value, className, onRest }: TypedFilterProps) {
  const [typed, setTyped] = useState<string | null>(null)
  const rested = useRested(typed, 250)
  useEffect(() => {
    if (typed === value) setTyped(null)
    else if (typed !== null && typed === rested) onRest(typed)
  }, [typed, rested, value, onRest])
  return (
    <Field label={label} bare className={className}>
      <TextInput
        type="search"
        placeholder={placeholder}
        maxLength={max}
        value={typed ?? value}
        onChange={event => setTyped(event.currentTarget.value)}
      />
    </Field>
  )
}
