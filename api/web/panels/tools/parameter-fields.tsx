import { useMemo } from 'react'
import type { JsonObject } from '../../../../shared/contract/base/json.ts'
import { Choice, Field } from '../../ui/field.tsx'
import { TypedInput } from '../../ui/typed-input.tsx'
import { fieldText, type SchemaField, schemaFields, withField } from './schema-fields.ts'

/** Shows a field for each value of a schema. An empty field omits the value. */
export function ParameterFields({
  schema,
  parameters,
  onChange,
}: {
  schema: JsonObject
  parameters: JsonObject
  onChange(parameters: JsonObject): void
}) {
  const fields = useMemo(() => schemaFields(schema), [schema])
  if (fields.length === 0) return <p className="text-sm text-soft">It takes no parameters.</p>
  return (
    <fieldset className="grid gap-4 sm:grid-cols-2">
      <legend className="sr-only">Parameters</legend>
      {fields.map(field => (
        <ParameterField
          key={JSON.stringify(field.path)}
          field={field}
          text={fieldText(field, parameters)}
          onText={text => onChange(withField(field, text, parameters))}
        />
      ))}
    </fieldset>
  )
}

function ParameterField({
  field,
  text,
  onText,
}: {
  field: SchemaField
  text: string
  onText(text: string): void
}) {
  const { path, kind, required, hint, choices } = field
  const label = `${path.join('.')}${required ? '' : ' (optional)'}`
  if (kind !== 'choice')
    return (
      <TypedInput
        label={label}
        hint={hint}
        value={text}
        error={() => null}
        onTake={onText}
        inputMode={kind === 'number' ? 'decimal' : 'text'}
      />
    )
  const options = choices.map(choice => ({ value: JSON.stringify(choice), label: String(choice) }))
  return (
    <Field label={label} hint={hint}>
      <Choice value={text} options={[{ value: '', label: '–' }, ...options]} onChoose={onText} />
    </Field>
  )
}
