import { useEffect, useState } from 'react'
import { useRested } from '../lib/rested.ts'
import { Field, TextInput } from './field.tsx'

export interface SearchFieldProps {
  label: string
  placeholder: string
  maxLength: number
  value: string
  className?: string
  /** Called with the text after a pause in typing, and at once on Enter or when the field loses focus. */
  onRest(text: string): void
}

/**
 * Searches after a pause in typing. Shows the typed text until the search has caught up; leaving the field applies
 * it at once, so that saving the view saves the typed text.
 */
export function SearchField({ label, value, className = '', onRest, ...input }: SearchFieldProps) {
  const [typed, setTyped] = useState<string | null>(null)
  const rested = useRested(typed, 250)
  useEffect(() => {
    // The updater keeps text that was typed before this effect ran, since that text is newer.
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
