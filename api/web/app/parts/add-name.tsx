import { type FormEvent, useState } from 'react'
import { Plus } from '../../pictures/icons.ts'
import { Button } from '../../ui/button.tsx'
import { Field, TextInput } from '../../ui/field.tsx'

/** The format of identifiers that the service accepts. */
const name = /^[A-Za-z0-9][A-Za-z0-9._:@/-]{0,199}$/

export function AddName({
  label,
  taken,
  onAdd,
}: {
  label: string
  taken: readonly string[]
  onAdd(name: string): void
}) {
  const [text, setText] = useState('')
  const [error, setError] = useState<string | null>(null)
  const add = (event: FormEvent): void => {
    event.preventDefault()
    const problem = problemOf(text.trim(), taken)
    setError(problem)
    if (problem !== null) return
    onAdd(text.trim())
    setText('')
  }
  return (
    <form onSubmit={add} noValidate className="flex items-start gap-2">
      <Field label={label} error={error} bare className="min-w-0 flex-1 sm:max-w-64">
        <TextInput
          value={text}
          placeholder={label}
          maxLength={200}
          autoCapitalize="off"
          spellCheck={false}
          onChange={event => {
            setText(event.currentTarget.value)
            setError(null)
          }}
        />
      </Field>
      <Button type="submit">
        <Plus className="size-4" aria-hidden /> Add<span className="sr-only">: {label}</span>
      </Button>
    </form>
  )
}

function problemOf(text: string, taken: readonly string[]): string | null {
  if (text === '') return 'Write a name first'
  if (taken.includes(text)) return 'It is there already'
  if (!name.test(text)) return 'Letters, digits and . _ : @ / - only, beginning with a letter or digit'
  return null
}
