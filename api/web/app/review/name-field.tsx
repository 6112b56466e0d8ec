import { Field, TextInput } from '../../ui/field.tsx'

interface NameFieldProps {
  label: string
  hint?: string
  value: string
  fixed: boolean
  onChange(name: string): void
}

export function NameField({ label, hint, value, fixed, onChange }: NameFieldProps) {
  return (
    <Field label={label} hint={hint}>
      <TextInput
        value={value}
        disabled={fixed}
        required
        maxLength={100}
        pattern="[A-Za-z0-9][A-Za-z0-9._\-]*"
        title="Letters, digits and . _ -"
        onChange={event => onChange(event.currentTarget.value)}
      />
    </Field>
  )
}
