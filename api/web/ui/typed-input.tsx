import { createContext, useCallback, useContext, useEffect, useId, useRef, useState } from 'react'
import { Field, TextInput } from './field.tsx'

/**
 * Receives a report when a field shows unreadable text. A form then disables saving, so that nobody saves a value
 * that is not shown.
 */
export const UnreadableFields = createContext<((field: string, unreadable: boolean) => void) | null>(null)

/** Counts the fields with unreadable text. The fields must be below `<UnreadableFields value={report}>`. */
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
 * A text field that parses its text. Passes on each valid text at once, so that messages match what the form
 * shows. Reports invalid text only after the field loses focus.
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
  /** Returns the error in a text, or null if the text is valid. */
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
    // A change from elsewhere discards the typed text, unless the person is typing in this field.
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
