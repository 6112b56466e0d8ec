import { useEffect, useState } from 'react'
import { useRested } from '../lib/rested.ts'
import { Field, TextInput } from './field.tsx'

export interface SearchFieldProps {
  label: string
  placeholder: string
  maxLength: number
  value: string
  className?: string
  /** Called with what was typed once it rests. */
  onRest(text: string): void
}

/** A text that is looked for once it rests. What is typed is shown until it is what is looked for. */
export function SearchField({ label, value, className = '', onRest, ...input }: SearchFieldProps) {
  const [typed, setTyped] = useState<string | null>(null)
  const rested = useRested(typed, 250)
  useEffect(() => {
    if (typed === value) setTyped(null)
    else if (typed !== null && typed === rested) onRest(typed)
  }, [typed, rested, value, onRest])
  return (
    <Field label={label} bare className={className}>
      <TextInput
        {...input}
        type="search"
        value={typed ?? value}
        onChange={event => setTyped(event.currentTarget.value)}
      />
    </Field>
  )
}
