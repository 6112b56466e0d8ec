import { limits } from '../../../../shared/contract/base/limits.ts'
import { Choice, Field, TextInput } from '../../ui/field.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { riskOptions, statusLabel, statusNames } from '../../ui/status.tsx'
import type { Filters } from './use-history-filters.ts'

const statusOptions = [
  { value: '' as const, label: 'Any status' },
  ...statusNames.map(status => ({ value: status, label: statusLabel(status) })),
]
const searched = [
  { member: 'search', label: 'Search', placeholder: 'Search, or amount:250' },
  { member: 'agent_id', label: 'Agent', placeholder: 'Any agent' },
  { member: 'operation', label: 'Operation', placeholder: 'Any operation' },
] as const

const days = [
  { member: 'from', label: 'From' },
  { member: 'to', label: 'Until' },
] as const

export function HistoryFilters({
  filters,
  onChange,
}: {
  filters: Filters
  onChange(changed: Partial<Filters>): void
}) {
  return (
    <search className="mb-4 grid grid-cols-2 gap-3 lg:grid-cols-[minmax(0,2fr)_repeat(2,minmax(0,1fr))]">
      {searched.map(({ member, ...field }) => (
        <SearchField
          key={member}
          {...field}
          maxLength={limits.search_length_max}
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
        {days.map(({ member, label }) => (
          <Field key={member} label={label}>
            <TextInput
              type="date"
              value={filters[member]}
              onChange={event => onChange({ [member]: event.currentTarget.value })}
            />
          </Field>
        ))}
      </div>
    </search>
  )
}
