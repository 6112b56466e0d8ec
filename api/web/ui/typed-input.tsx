import { createContext, useCallback, useContext, useEffect, useId, useRef, useState } from 'react'
import { Field, TextInput } from './field.tsx'

/** Says which fields of a form show a text that is not its value, so that nobody saves another value than is shown. */
export const UnreadableFields = createContext<((field: string, unreadable: boolean) => void) | null>(null)

/** Counts the fields below `<UnreadableFields value={report}>` whose text cannot be read. */
export function useUnreadableFields() {
  const [fields, setFields] = useState<ReadonlySet<string>>(new Set())
  const report = useCallback((field: string, unreadable: boolean): void => {
    setFields(known => {
      if (known.has(field) === unreadable) return known
      const others = [...known].filter(other => other !== field)
      return new Set(unreadable ? [...others, field] : others)
    })
  }, [])
  return { count: fields.size, report }
}

function useReport(unreadable: boolean): void {
  const field = useId()
  const report = useContext(UnreadableFields)
  useEffect(() => {
    report?.(field, unreadable)
    return () => report?.(field, false)
  }, [report, field, unreadable])
}

/**
 * A text field that parses its text. Takes each readable text at once, so that messages about the form match what
 * it shows. Keeps the typed text until the field loses focus, and only then reports text that it cannot read.
 */
export function TypedInput({
  label,
  bare = false,
  hint,
  value,
  error,
  onTake,
  className,
  ...rest
}: {
  label: string
  bare?: boolean
  hint?: string
  value: string
  /** Returns the problem with a text, or null if the text is valid. */
  error(text: string): string | null
  onTake(text: string): void
  className?: string
  placeholder?: string
  inputMode?: 'decimal' | 'text'
}) {
  const field = useRef<HTMLInputElement>(null)
  const [typed, setTyped] = useState<string | null>(null)
  const [wrong, setWrong] = useState<string | null>(null)
  useReport(typed !== null && error(typed) !== null)
  const last = useRef(value)
  useEffect(() => {
    if (last.current === value) return
    last.current = value
    // A change made elsewhere discards earlier typing, since only a focused field is being typed in.
    if (document.activeElement === field.current) return
    setTyped(null)
    setWrong(null)
  }, [value])
  const type = (text: string): void => {
    setTyped(text)
    if (error(text) !== null) return
    setWrong(null)
    if (text !== value) onTake(text)
  }
  const leave = (): void => {
    const problem = typed === null ? null : error(typed)
    setWrong(problem)
    if (problem === null) setTyped(null)
  }
  return (
    <Field
      label={label}
      bare={bare}
      hint={hint}
      error={wrong}
      {...(className === undefined ? {} : { className })}
    >
      <TextInput
        {...rest}
        ref={field}
        value={typed ?? value}
        onChange={event => type(event.currentTarget.value)}
        onBlur={leave}
        onKeyDown={event => {
          if (event.key === 'Enter') leave()
        }}
      />
    </Field>
  )
}
