import { useEffect, useMemo, useState } from 'react'
import type { HeldAction } from '../../../../shared/contract/action/action.ts'
import { limits } from '../../../../shared/contract/base/limits.ts'
import { useRested } from '../../lib/rested.ts'
import { Choice, Field, type Option, TextInput } from '../../ui/field.tsx'
import type { Narrowed } from './use-held.ts'

const risks: readonly Option<Narrowed['risk']>[] = [
  { value: '', label: 'Any risk' },
  { value: 'high', label: 'High risk' },
  { value: 'medium', label: 'Medium risk' },
  { value: 'low', label: 'Low risk' },
]

export interface HeldFilterProps {
  value: Narrowed
  /** Whose operations are offered. */
  held: readonly HeldAction[]
  onChange(value: Narrowed): void
}

/** Narrows the list; what is typed is looked for on the service once it rests. */
export function HeldFilter({ value, held, onChange }: HeldFilterProps) {
  const { operation } = value
  const operations = useMemo(
    () => [...new Set([operation, ...held.map(({ proposal }) => proposal.action.operation)])].sort(),
    [held, operation],
  )
  const [typed, setTyped] = useState(value.search)
  const rested = useRested(typed, 250)
  useEffect(() => {
    if (rested !== value.search) onChange({ ...value, search: rested })
  }, [rested, value, onChange])
  return (
    <search className="flex flex-wrap gap-2 border-b border-line px-4 py-3">
      <Field label="Search summary and parameters" bare className="min-w-40 flex-1">
        <TextInput
          type="search"
          value={typed}
          maxLength={limits.search_length_max}
          placeholder="Search, or amount:250"
          onChange={event => setTyped(event.currentTarget.value)}
        />
      </Field>
      <Field label="Risk" bare>
        <Choice options={risks} value={value.risk} onChoose={risk => onChange({ ...value, risk })} />
      </Field>
      <Field label="Operation" bare>
        <Choice
          options={[
            { value: '', label: 'Any operation' },
            ...operations.filter(name => name !== '').map(name => ({ value: name, label: name })),
          ]}
          value={operation}
          onChoose={name => onChange({ ...value, operation: name })}
        />
      </Field>
    </search>
  )
}
