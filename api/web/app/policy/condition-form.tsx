import { useState } from 'react'
import type { Constraint } from '../../../../shared/contract/configuration/policy.ts'
import { readValues, valuesText } from '../../lib/policy/condition-values.ts'
import type { ConditionRow } from '../../lib/policy/policy-edit.ts'
import { constraintWords } from '../../lib/policy/policy-words.ts'
import { Pencil, X } from '../../pictures/icons.ts'
import { Button } from '../../ui/button.tsx'
import { Choice, Field } from '../../ui/field.tsx'
import { ForeignText } from '../../ui/text.tsx'
import { TypedInput } from '../../ui/typed-input.tsx'

const listedMax = 200

interface ConditionFormProps {
  row: ConditionRow
  /** The allowed operations of the system; null if all are allowed. */
  operations: readonly string[] | null
  others: readonly ConditionRow[]
  /** Receives the changed condition, or null if the person removes it. */
  onChange(row: ConditionRow | null): void
}

export function ConditionForm({ startsOpen, ...props }: ConditionFormProps & { startsOpen: boolean }) {
  const [open, setOpen] = useState(startsOpen)
  const { row, onChange } = props
  const isNamed = row.path !== ''
  const name = nameOf(row)
  return (
    <div className="rounded-lg bg-sunken">
      <div className="flex items-center gap-1 py-1 pr-1 pl-3 text-sm">
        <p className="min-w-0 flex-1 py-1">
          <span className="font-mono">
            <ForeignText text={isNamed ? `${row.operation} · ${row.path}` : row.operation} />
          </span>{' '}
          <span className="text-soft">
            {isNamed ? (
              <ForeignText text={constraintWords(row.constraint)} />
            ) : (
              'Name its parameter: until then it is not in the draft.'
            )}
          </span>
        </p>
        <Button
          variant="quiet"
          size="icon"
          aria-label={`Change condition on ${name}`}
          aria-expanded={open}
          onClick={() => setOpen(!open)}
        >
          <Pencil className="size-4" aria-hidden />
        </Button>
        <Button
          variant="quiet"
          size="icon"
          aria-label={`Remove condition on ${name}`}
          onClick={() => onChange(null)}
        >
          <X className="size-4" aria-hidden />
        </Button>
      </div>
      {open && <ConditionFields {...props} />}
    </div>
  )
}

function ConditionFields({ row, operations, others, onChange }: ConditionFormProps) {
  const { constraint } = row
  const change = (part: Constraint): void =>
    onChange({ ...row, constraint: defined({ ...constraint, ...part }) })
  return (
    <fieldset className="grid grid-cols-2 gap-3 border-t border-line p-3">
      <legend className="sr-only">Condition on {nameOf(row)}</legend>
      <Where row={row} operations={operations} others={others} onChange={onChange} />
      <TypedInput
        label="At least"
        inputMode="decimal"
        value={numberText(constraint.min)}
        error={notANumber}
        onTake={text => change({ min: readNumber(text) })}
      />
      <TypedInput
        label="At most"
        inputMode="decimal"
        value={numberText(constraint.max)}
        error={notANumber}
        onTake={text => change({ max: readNumber(text) })}
      />
      <TypedInput
        label="Allowed values, with commas between"
        className="col-span-2"
        value={valuesText(constraint)}
        error={text => (readValues(text) ? null : 'A quote or a bracket is not closed')}
        onTake={text => change({ equals: undefined, one_of: undefined, ...readValues(text) })}
      />
      <label className="col-span-2 inline-flex min-h-6 items-center gap-2 text-sm">
        <input
          type="checkbox"
          className="size-4 accent-accent"
          checked={constraint.required === false}
          onChange={event => change({ required: event.currentTarget.checked ? false : undefined })}
        />
        It may be left out
      </label>
    </fieldset>
  )
}

function Where({ row, operations, others, onChange }: ConditionFormProps) {
  const names = [...new Set([row.operation, ...(operations ?? []).slice(0, listedMax)])]
  return (
    <>
      {operations ? (
        <Field label="Operation">
          <Choice
            value={row.operation}
            options={names.map(value => ({ value, label: value }))}
            onChoose={operation => {
              if (!isTaken(others, operation, row.path)) onChange({ ...row, operation })
            }}
          />
        </Field>
      ) : (
        <TypedInput
          label="Operation"
          value={row.operation}
          error={text => wrongName(text, isTaken(others, text, row.path) && text !== row.operation)}
          onTake={operation => onChange({ ...row, operation })}
        />
      )}
      <TypedInput
        label="Parameter"
        value={row.path}
        error={text => wrongName(text, isTaken(others, row.operation, text) && text !== row.path)}
        onTake={path => onChange({ ...row, path })}
      />
    </>
  )
}

function nameOf({ path, operation }: ConditionRow): string {
  return `${path === '' ? 'a new parameter' : path} of ${operation}`
}

function isTaken(rows: readonly ConditionRow[], operation: string, path: string): boolean {
  return rows.some(row => row.operation === operation && row.path === path)
}

function wrongName(text: string, taken: boolean): string | null {
  if (taken) return 'There is a condition on it already'
  return /^[^.]+(\.[^.]+)*$/.test(text) ? null : 'Write its name, such as amount or order.id'
}

function numberText(value: number | undefined): string {
  return value === undefined ? '' : String(value)
}

function readNumber(text: string): number | undefined {
  return text.trim() === '' ? undefined : Number(text)
}

function notANumber(text: string): string | null {
  return Number.isFinite(Number(text)) ? null : 'Write a number, such as 50 or 0.5'
}

/** Removes members that are undefined, so that the policy contains only bounds that are set. */
function defined(constraint: Constraint): Constraint {
  return Object.fromEntries(Object.entries(constraint).filter(([, value]) => value !== undefined))
}
