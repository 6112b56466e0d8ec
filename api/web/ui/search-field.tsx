import { useEffect, useState } from 'react'
import { useRested } from '../lib/rested.ts'
import { Field, TextInput } from './field.tsx'

export interface SearchFieldProps {
  label: string
  placeholder: string
  maxLength: number
  value: string
  className?: string
  /** Called with what was typed once it rests, and at once when the field is left or with Enter. */
  onRest(text: string): void
}

/**
 * A text that is looked for once it rests. What is typed is shown until it is what is looked for; whoever leaves the field to
 * save what is shown saves what was typed.
 */
export function SearchField({ label, value, className = '', onRest, ...input }: SearchFieldProps) {
  const [typed, setTyped] = useState<string | null>(null)
  const rested = useRested(typed, 250)
  useEffect(() => {
    // What is typed before this runs stays.
    if (typed === value) setTyped(now => (now === value ? null : now))
    else if (typed !== null && typed === rested) onRest(typed)
  }, [typed, rested, value, onRest])
  const take = (): void => {
    if (typed !== null && typed !== value) onRest(typed)
  }
  return (
    <Field label={label} bare className={className}>
      <TextInput
        {...input}
        type="search"
        value={typed ?? value}
        onChange={event => setTyped(event.currentTarget.value)}
        onBlur={take}
        onKeyDown={event => {
          if (event.key === 'Enter') take()
        }}
      />
    </Field>
  )
}
