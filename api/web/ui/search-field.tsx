import { useEffect, useState } from 'react'
import { useRested } from '../lib/rested.ts'
import { Field, TextInput } from './field.tsx'

export interface SearchFieldProps {
  label: string
  placeholder: string
  maxLength: number
  value: string
  className?: string
  /** Called with the text after a pause in typing. Enter and leaving the field call it at once. */
  onRest(text: string): void
}

/**
 * Searches after a pause in typing. Leaving the field searches at once, so that saving a view saves the typed
 * text. Shows the typed text until `value` equals it.
 */
export function SearchField({ label, value, className = '', onRest, ...input }: SearchFieldProps) {
  const [typed, setTyped] = useState<string | null>(null)
  const rested = useRested(typed, 250)
  useEffect(() => {
    // Drops the typed text only if it is unchanged, because newer text may have been typed meanwhile.
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
