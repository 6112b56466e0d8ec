import { useEffect, useState } from 'react'
import { Field, TextInput } from './field.tsx'

/**
 * A text field whose value means something: what is typed is kept as it is and taken over once it can be read, on leaving
 * the field or with Enter.
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
  const [text, setText] = useState(value)
  const [wrong, setWrong] = useState<string | null>(null)
  useEffect(() => {
    setText(value)
    setWrong(null)
  }, [value])
  const take = (): void => {
    const problem = error(text)
    setWrong(problem)
    if (problem === null && text !== value) onTake(text)
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
        value={text}
        onChange={event => setText(event.currentTarget.value)}
        onBlur={take}
        onKeyDown={event => {
          if (event.key === 'Enter') take()
        }}
      />
    </Field>
  )
}
