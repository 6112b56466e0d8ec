import { useEffect, useRef, useState } from 'react'
import type { PolicyInput } from '../../../../shared/contract/configuration/policy.ts'
import { counted } from '../../lib/format.ts'
import {
  type ConditionRow,
  conditionsOf,
  withCondition,
  withOperations,
  withoutOperation,
  withoutSystem,
} from '../../lib/policy/policy-edit.ts'
import { ChevronDown, Trash2, X } from '../../pictures/icons.ts'
import { Button } from '../../ui/button.tsx'
import { classes } from '../../ui/classes.ts'
import { Choice, Field } from '../../ui/field.tsx'
import { ShowMore, useShown } from '../../ui/show-more.tsx'
import { ForeignText } from '../../ui/text.tsx'
import { AddName } from '../parts/add-name.tsx'
import { ConditionForm } from './condition-form.tsx'

const operationsStep = 40
const conditionsStep = 20

interface SystemFormProps {
  policy: PolicyInput
  system: string
  onChange(policy: PolicyInput): void
}

export function SystemForm({ startsOpen, ...props }: SystemFormProps & { startsOpen: boolean }) {
  const [open, setOpen] = useState(startsOpen)
  const { policy, system, onChange } = props
  const operations = policy.allowed_operations?.[system]
  return (
    <div className="rounded-lg border border-line">
      <div className="flex items-center gap-1 pr-2">
        <button
          type="button"
          aria-expanded={open}
          onClick={() => setOpen(!open)}
          className="flex min-h-11 min-w-0 flex-1 items-center gap-2 rounded-lg px-3 text-left -outline-offset-2"
        >
          <ChevronDown className={classes('size-4 shrink-0 transition', !open && '-rotate-90')} aria-hidden />
          <span className="min-w-0 font-mono text-sm font-semibold">
            <ForeignText text={system} />
          </span>
          <span className="shrink-0 text-sm text-soft">
            {operations ? counted(operations.length, 'operation') : 'any operation'}
          </span>
        </button>
        <Button
          variant="quiet"
          size="icon"
          aria-label={`Remove system ${system}`}
          onClick={() => onChange(withoutSystem(policy, system))}
        >
          <Trash2 className="size-4" aria-hidden />
        </Button>
      </div>
      {open && (
        <div className="flex flex-col gap-5 border-t border-line p-4">
          <Operations {...props} />
          <Conditions {...props} />
        </div>
      )}
    </div>
  )
}

const modes = [
  { value: 'listed', label: 'Only those listed here' },
  { value: 'any', label: 'Any operation (none in strict mode)' },
] as const

function Operations({ policy, system, onChange }: SystemFormProps) {
  const operations = policy.allowed_operations?.[system]
  const { shown, rest, more } = useShown(operations ?? [], operationsStep)
  return (
    <div className="flex flex-col gap-3">
      <Field label="Operations" className="max-w-xs">
        <Choice
          value={operations ? 'listed' : 'any'}
          options={modes}
          onChoose={mode => onChange(withOperations(policy, system, mode === 'any' ? null : []))}
        />
      </Field>
      {operations && (
        <>
          {operations.length > 0 && (
            <ul className="flex flex-wrap gap-2" aria-label={`Operations of ${system}`}>
              {shown.map(operation => (
                <li
                  key={operation}
                  className="inline-flex max-w-full items-center rounded-md bg-sunken text-sm"
                >
                  <span className="min-w-0 py-1 pl-2.5 font-mono">
                    <ForeignText text={operation} />
                  </span>
                  <button
                    type="button"
                    aria-label={`Remove operation ${operation}`}
                    onClick={() => onChange(withoutOperation(policy, system, operation))}
                    className="grid size-7 shrink-0 place-items-center rounded-md text-soft hover:text-bad"
                  >
                    <X className="size-3.5" aria-hidden />
                  </button>
                </li>
              ))}
            </ul>
          )}
          <ShowMore rest={rest} what="operations" more={more} />
          <AddName
            label="Add an operation"
            taken={operations}
            onAdd={operation => onChange(withOperations(policy, system, [operation, ...operations]))}
          />
        </>
      )}
    </div>
  )
}

function Conditions({ policy, system, onChange }: SystemFormProps) {
  const [places] = useState(createPlaces)
  const operations = policy.allowed_operations?.[system]
  const [fresh, setFresh] = useState<ConditionRow | null>(null)
  const [added, setAdded] = useState<ConditionRow | null>(null)
  const conditions = conditionsOf(policy, system)
  const { shown, rest, more } = useShown(places.inOrder(conditions), conditionsStep)
  const list = useFocusOnFresh(fresh !== null)
  const put = (old: ConditionRow, row: ConditionRow | null): void => {
    if (row) places.move(old, row)
    if (added && isSame(old, added)) setAdded(row)
    if (old !== fresh) {
      onChange(withCondition(policy, system, { old, row }))
      return
    }
    const isNamed = row !== null && row.path !== ''
    setFresh(isNamed ? null : row)
    if (!isNamed) return
    setAdded(row)
    onChange(withCondition(policy, system, { old: null, row }))
  }
  return (
    <div className="flex flex-col gap-3" ref={list}>
      <h4 className="text-sm font-medium">Conditions on parameters</h4>
      {conditions.length === 0 && (
        <p className="text-sm text-soft">None. What the catalog says of parameters counts all the same.</p>
      )}
      {[
        ...new Set([
          ...shown,
          ...conditions.filter(row => added && isSame(row, added)),
          ...(fresh ? [fresh] : []),
        ]),
      ].map(row => (
        <ConditionForm
          key={places.of(row)}
          row={row}
          operations={operations ?? null}
          others={conditions}
          startsOpen={row === fresh}
          onChange={changed => put(row, changed)}
        />
      ))}
      <ShowMore rest={rest} what="conditions" more={more} />
      <div>
        <Button
          size="small"
          disabled={operations?.length === 0 || fresh !== null}
          onClick={() => setFresh({ operation: operations?.[0] ?? 'operation', path: '', constraint: {} })}
        >
          Add a condition
        </Button>
      </div>
    </div>
  )
}

function isSame(one: ConditionRow, other: ConditionRow): boolean {
  return one.operation === other.operation && one.path === other.path
}

function useFocusOnFresh(isFresh: boolean) {
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (!isFresh) return
    const fields = list.current?.querySelectorAll('fieldset')
    fields
      ?.item(fields.length - 1)
      .querySelector<HTMLElement>('select, input')
      ?.focus()
  }, [isFresh])
  return list
}

interface Places {
  of(row: ConditionRow): number
  inOrder(rows: readonly ConditionRow[]): ConditionRow[]
  move(from: ConditionRow, to: ConditionRow): void
}

/**
 * Gives each condition a stable number. Renaming a condition moves it within the policy, and without the number
 * the typing would continue in another condition's field.
 */
function createPlaces(): Places {
  const places = new Map<string, number>()
  const nameOf = ({ operation, path }: ConditionRow) => JSON.stringify([operation, path])
  let next = 0
  const of = (row: ConditionRow): number => {
    const known = places.get(nameOf(row)) ?? next++
    places.set(nameOf(row), known)
    return known
  }
  return {
    of,
    inOrder: rows =>
      [...rows]
        .map(row => ({ row, at: of(row) }))
        .sort((a, b) => a.at - b.at)
        .map(({ row }) => row),
    move(from, to) {
      const place = of(from)
      places.delete(nameOf(from))
      places.set(nameOf(to), place)
    },
  }
}
