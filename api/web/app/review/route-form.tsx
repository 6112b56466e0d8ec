import { type FormEvent, useState } from 'react'
import { limits } from '../../../../shared/contract/base/limits.ts'
import type { Group, Route, RouteDemand } from '../../../../shared/contract/configuration/route-schema.ts'
import { useAct } from '../../lib/query.tsx'
import { Button } from '../../ui/button.tsx'
import { Choice, Field, TextInput } from '../../ui/field.tsx'
import { ProblemNote } from '../../ui/state.tsx'
import { NameField } from './name-field.tsx'

const hourMs = 3_600_000
const counts = Array.from({ length: limits.approvals_required_max }, (_, at) => ({
  value: String(at + 1),
  label: String(at + 1),
}))

export interface RouteFormProps {
  tenantId: string
  route: Route | null
  groups: readonly Group[]
  onDone(): void
}

export function RouteForm({ tenantId, route, groups, onDone }: RouteFormProps) {
  const first = groups[0]?.name ?? ''
  const [name, setName] = useState(route?.name ?? '')
  const [required, setRequired] = useState<RouteDemand[]>(route?.required ?? [{ group: first, approvals: 1 }])
  const [within, setWithin] = useState(hoursOf(route?.decide_within_ms))
  const [helper, setHelper] = useState(route?.escalate?.group ?? '')
  const [after, setAfter] = useState(hoursOf(route?.escalate?.after_ms ?? hourMs))
  const [issuer, setIssuer] = useState(route?.issuer ?? '')
  const put = useAct('put_owned_route', { stale: ['list_owned_routes'] })
  const save = (event: FormEvent): void => {
    event.preventDefault()
    const body = {
      required,
      ...(within.trim() === '' ? {} : { decide_within_ms: msOf(within) }),
      ...(helper === '' ? {} : { escalate: { after_ms: msOf(after), group: helper } }),
      ...(issuer.trim() === '' ? {} : { issuer: issuer.trim() }),
    }
    put.mutate({ params: { tenant_id: tenantId, name }, body }, { onSuccess: onDone })
  }
  return (
    <form onSubmit={save} className="mt-4 flex flex-col gap-4 border-t border-line pt-4">
      <NameField
        label="Name of the route"
        hint="As the policy says who decides."
        value={name}
        fixed={route !== null}
        onChange={setName}
      />
      <Demands required={required} groups={groups} onChange={setRequired} />
      <Hours
        label="Hours to decide"
        hint="Empty: as long as the application says."
        value={within}
        onTake={setWithin}
      />
      <Field label="Who helps when nobody decides">
        <Choice
          value={helper}
          options={[{ value: '', label: 'nobody' }, ...optionsOf(groups)]}
          onChoose={setHelper}
        />
      </Field>
      {helper !== '' && (
        <Hours label="Hours before they are asked" required value={after} onTake={setAfter} />
      )}
      <Field label="Signed in at" hint="Address of an issuer, its “iss”. Empty: anywhere, and with a key.">
        <TextInput value={issuer} onChange={event => setIssuer(event.currentTarget.value)} />
      </Field>
      {put.error && <ProblemNote error={put.error} />}
      <span className="flex gap-2">
        <Button type="submit" variant="primary" busy={put.isPending}>
          Save route
        </Button>
        <Button onClick={onDone}>Cancel</Button>
      </span>
    </form>
  )
}

function Demands({
  required,
  groups,
  onChange,
}: {
  required: readonly RouteDemand[]
  groups: readonly Group[]
  onChange(required: RouteDemand[]): void
}) {
  const free = groups.find(({ name }) => !required.some(({ group }) => group === name))
  const change = (place: number, demand: RouteDemand): void =>
    onChange(required.map((one, at) => (at === place ? demand : one)))
  return (
    <fieldset className="flex flex-col gap-3">
      <legend className="mb-1 text-sm font-medium">Approvals that it takes</legend>
      {required.map(placed).map(({ demand, place }) => (
        <div key={place} className="flex flex-wrap items-end gap-2">
          <Field label="How many" className="w-24">
            <Choice
              value={String(demand.approvals)}
              options={counts}
              onChoose={approvals => change(place, { ...demand, approvals: Number(approvals) })}
            />
          </Field>
          <Field label="Of the group" className="min-w-0 flex-1">
            <Choice
              value={demand.group}
              options={optionsOf(groups)}
              onChoose={group => change(place, { ...demand, group })}
            />
          </Field>
          {required.length > 1 && (
            <Button onClick={() => onChange(required.filter((_, at) => at !== place))}>Remove</Button>
          )}
        </div>
      ))}
      {free && required.length < limits.route_groups_max && (
        <Button
          size="small"
          className="self-start"
          onClick={() => onChange([...required, { group: free.name, approvals: 1 }])}
        >
          Another group
        </Button>
      )}
    </fieldset>
  )
}

/** Identifies each required group by its index, so that its fields stay while a person types the group's name. */
function placed(demand: RouteDemand, place: number) {
  return { demand, place }
}

function Hours({
  label,
  hint,
  required = false,
  value,
  onTake,
}: {
  label: string
  hint?: string
  required?: boolean
  value: string
  onTake(value: string): void
}) {
  return (
    <Field label={label} hint={hint}>
      <TextInput
        type="number"
        required={required}
        min="0.01"
        max="27777"
        step="any"
        value={value}
        onChange={event => onTake(event.currentTarget.value)}
      />
    </Field>
  )
}

function optionsOf(groups: readonly Group[]) {
  return groups.map(({ name }) => ({ value: name, label: name }))
}

function hoursOf(ms: number | undefined): string {
  return ms === undefined ? '' : String(ms / hourMs)
}

function msOf(hours: string): number {
  return Math.round(Number(hours) * hourMs)
}
