import { useMemo } from 'react'
import type { InboxAction } from '../../../../../shared/contract/action/inbox-schema.ts'
import { limits } from '../../../../../shared/contract/base/limits.ts'
import { Choice, Field, type Option } from '../../../ui/field.tsx'
import { SearchField } from '../../../ui/search-field.tsx'
import { riskOptions } from '../../../ui/status.tsx'
import { GroupChoice } from './held-groups.tsx'
import type { Narrowed } from './use-held.ts'

type Named = 'agent_id' | 'system' | 'operation' | 'review_route'

const names: readonly { member: Named; label: string; any: string }[] = [
  { member: 'agent_id', label: 'Agent', any: 'Any agent' },
  { member: 'system', label: 'System', any: 'Any system' },
  { member: 'operation', label: 'Operation', any: 'Any operation' },
  { member: 'review_route', label: 'Review route', any: 'Any route' },
]

export interface HeldFilterProps {
  value: Narrowed
  /** The actions on screen. The filters offer their agents, systems, operations and routes. */
  held: readonly InboxAction[]
  onChange(value: Narrowed): void
}

export function HeldFilter({ value, held, onChange }: HeldFilterProps) {
  const offered = useMemo(() => offeredOf(held), [held])
  return (
    <search className="grid grid-cols-2 gap-2 border-b border-line px-4 py-3">
      <SearchField
        label="Search summary and parameters"
        placeholder="Search, or amount:250"
        maxLength={limits.search_length_max}
        value={value.search}
        className="col-span-2"
        onRest={search => onChange({ ...value, search })}
      />
      <Field label="Risk" bare>
        <Choice options={riskOptions} value={value.risk} onChoose={risk => onChange({ ...value, risk })} />
      </Field>
      {names.map(({ member, label, any }) => (
        <Field key={member} label={label} bare>
          <Choice
            options={optionsOf(any, [value[member], ...offered[member]])}
            value={value[member]}
            onChoose={name => onChange({ ...value, [member]: name })}
          />
        </Field>
      ))}
      <GroupChoice value={value} onChange={onChange} />
    </search>
  )
}

/** Offers only the values of actions on screen. The text search also finds other actions. */
function offeredOf(held: readonly InboxAction[]): Readonly<Record<Named, readonly string[]>> {
  const each = (of: (action: InboxAction) => string) => held.map(of)
  return {
    agent_id: each(({ agent_id }) => agent_id),
    system: each(({ target_system }) => target_system),
    operation: each(({ operation }) => operation),
    review_route: each(({ review_route }) => review_route),
  }
}

function optionsOf(any: string, values: readonly string[]): Option<string>[] {
  const known = [...new Set(values)].filter(name => name !== '').sort()
  return [{ value: '', label: any }, ...known.map(name => ({ value: name, label: name }))]
}
