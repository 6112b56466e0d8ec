import { useEffect, useRef, useState } from 'react'
import { Field, TextInput } from './field.tsx'

/**
 * A text field whose value means something. Each text that can be read is taken over at once, so that whatever is said of the
 * form is said of what it shows. What is typed stays as it is until the field is left; what cannot be read is named then.
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
  /** What is wrong with a text; null: it can be taken. */
  error(text: string): string | null
  onTake(text: string): void
  className?: string
  placeholder?: string
  inputMode?: 'decimal' | 'text'
}) {
  const field = useRef<HTMLInputElement>(null)
  const [typed, setTyped] = useState<string | null>(null)
  const [wrong, setWrong] = useState<string | null>(null)
  const last = useRef(value)
  useEffect(() => {
    if (last.current === value) return
    last.current = value
    // Here somebody types; else it was changed elsewhere, and what was typed before is over.
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
