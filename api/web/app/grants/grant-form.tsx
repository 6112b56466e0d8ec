import { type FormEvent, useState } from 'react'
import type { RiskLevel } from '../../../../shared/contract/action/proposal-schema.ts'
import type { JsonObject } from '../../../../shared/contract/base/json.ts'
import { limits } from '../../../../shared/contract/base/limits.ts'
import type { GrantRequest } from '../../../../shared/contract/configuration/grant-schema.ts'
import { clockNow } from '../../lib/clock.ts'
import { draftText, readDraft } from '../../lib/policy/read-draft.ts'
import { useAct } from '../../lib/query.tsx'
import { JsonEditor } from '../../panels/json/json-editor.tsx'
import { Button } from '../../ui/button.tsx'
import { Choice, Field, TextInput } from '../../ui/field.tsx'
import { ProblemNote } from '../../ui/state.tsx'
import { useSay } from '../../ui/toast.tsx'

/** The values a grant form begins with, for example those of a held action. */
export interface GrantStart {
  key_id: string
  system: string
  operation: string
  risk_max: RiskLevel
  constraints: JsonObject
}

const nothing: GrantStart = {
  key_id: '',
  system: '',
  operation: '',
  risk_max: 'medium',
  constraints: { amount: { max: 50 } },
}

const risks = [
  { value: 'low', label: 'low' },
  { value: 'medium', label: 'medium' },
  { value: 'high', label: 'high' },
] as const

export function GrantForm({
  tenantId,
  start,
  onDone,
}: {
  tenantId: string
  start: GrantStart | null
  onDone(): void
}) {
  const [values, setValues] = useState(start ?? nothing)
  const [bounds, setBounds] = useState(() => draftText((start ?? nothing).constraints))
  const [uses, setUses] = useState('20')
  const [hours, setHours] = useState('8')
  const [note, setNote] = useState('')
  const say = useSay()
  const make = useAct('make_owned_grant', { stale: ['list_owned_grants'] })
  const draft = readDraft(bounds)
  const save = (event: FormEvent): void => {
    event.preventDefault()
    if (!draft.ok) return
    const body: GrantRequest = {
      ...values,
      constraints: draft.value as GrantRequest['constraints'],
      uses_max: Number(uses),
      ends_at: new Date(clockNow() + Number(hours) * 3_600_000).toISOString(),
      note,
    }
    const onSuccess = (): void => {
      say({ title: 'The grant is made', detail: 'It was proved to stay within its bounds.', tone: 'good' })
      onDone()
    }
    make.mutate({ params: { tenant_id: tenantId }, body }, { onSuccess })
  }
  return (
    <form
      onSubmit={save}
      aria-label="New grant"
      className="mb-4 flex flex-col gap-4 border-b border-line pb-4"
    >
      <Subject values={values} onChange={setValues} />
      <Bounds text={bounds} draft={draft} onChange={setBounds} />
      <div className="flex flex-wrap gap-4">
        <Count label="Uses" max={limits.grant_uses_max} value={uses} onTake={setUses} />
        <Count label="Hours until it ends" max={limits.grant_days_max * 24} value={hours} onTake={setHours} />
      </div>
      <Field label="Why" hint="It stays in the audit.">
        <TextInput required value={note} onChange={event => setNote(event.currentTarget.value)} />
      </Field>
      {make.error && <ProblemNote error={make.error} />}
      <span className="flex gap-2">
        <Button type="submit" variant="primary" busy={make.isPending} disabled={!draft.ok}>
          Prove and make
        </Button>
        <Button onClick={onDone}>Cancel</Button>
      </span>
    </form>
  )
}

function Bounds({
  text,
  draft,
  onChange,
}: {
  text: string
  draft: ReturnType<typeof readDraft>
  onChange(text: string): void
}) {
  return (
    <div className="flex flex-col gap-1.5">
      <span className="text-sm font-medium" aria-hidden>
        Bounds
      </span>
      <p className="text-sm text-soft">
        By parameter: <code>max</code>, <code>min</code>, <code>equals</code> or <code>one_of</code>. A
        proposal without the parameter is not covered.
      </p>
      <JsonEditor
        label="Bounds"
        value={text}
        onChange={onChange}
        issues={draft.ok ? [] : [draft.issue]}
        lines={12}
      />
    </div>
  )
}

function Subject({ values, onChange }: { values: GrantStart; onChange(values: GrantStart): void }) {
  const named = [
    ['key_id', 'Agent key', 'The id of the key, as API keys lists it.'],
    ['system', 'System', undefined],
    ['operation', 'Operation', undefined],
  ] as const
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      {named.map(([member, label, hint]) => (
        <Field key={member} label={label} hint={hint}>
          <TextInput
            required
            value={values[member]}
            onChange={event => onChange({ ...values, [member]: event.currentTarget.value })}
          />
        </Field>
      ))}
      <Field label="Risk at most">
        <Choice
          value={values.risk_max}
          options={risks}
          onChoose={risk_max => onChange({ ...values, risk_max })}
        />
      </Field>
    </div>
  )
}

function Count({
  label,
  max,
  value,
  onTake,
}: {
  label: string
  max: number
  value: string
  onTake(value: string): void
}) {
  return (
    <Field label={label} className="w-44">
      <TextInput
        type="number"
        required
        min="1"
        max={String(max)}
        step="1"
        value={value}
        onChange={event => onTake(event.currentTarget.value)}
      />
    </Field>
  )
}
