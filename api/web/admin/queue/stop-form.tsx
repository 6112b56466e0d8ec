import { type FormEvent, useId } from 'react'
import { limits } from '../../../../shared/contract/base/limits.ts'
import type { FreezeEffect } from '../../../../shared/contract/configuration/freeze-schema.ts'
import { useCall } from '../../lib/query.tsx'
import { Field, TextArea, TextInput } from '../../ui/field.tsx'

/** The id of the form. The submit button is outside the form, in the dialog's footer, and refers to this id. */
export const stopForm = 'stop'

export interface StopDraft {
  system: string
  operation: string
  key_id: string
  reason: string
}

/** Edits the scope and the reason of a stop. An empty scope field matches everything. */
export function StopForm({
  tenantId,
  effect,
  draft,
  onChange,
  onSubmit,
}: {
  tenantId: string
  effect: FreezeEffect
  draft: StopDraft
  onChange(draft: StopDraft): void
  onSubmit(event: FormEvent): void
}) {
  const policy = useCall('read_policy', { params: { tenant_id: tenantId } }).data?.policy
  const change = (part: Partial<StopDraft>): void => onChange({ ...draft, ...part })
  const everything = effect === 'pause' ? 'Empty: every system.' : 'Empty: every one.'
  return (
    <form id={stopForm} onSubmit={onSubmit} className="flex flex-col gap-4">
      <Named
        label="System"
        hint={everything}
        value={draft.system}
        known={policy?.allowed_systems ?? []}
        onChange={system => change({ system })}
      />
      {effect === 'freeze' && (
        <>
          <Named
            label="Operation"
            hint={everything}
            value={draft.operation}
            known={policy?.allowed_operations[draft.system] ?? []}
            onChange={operation => change({ operation })}
          />
          <Named
            label="Agent key"
            hint="A key id (agk_…): only what was proposed with it. Empty: what anyone did."
            value={draft.key_id}
            known={[]}
            onChange={key_id => change({ key_id })}
          />
        </>
      )}
      <Field label="Reason" hint="Required. The audit keeps it.">
        <TextArea
          required
          maxLength={limits.change_note_length_max}
          value={draft.reason}
          onChange={event => change({ reason: event.currentTarget.value })}
        />
      </Field>
    </form>
  )
}

function Named({
  label,
  hint,
  value,
  known,
  onChange,
}: {
  label: string
  hint: string
  value: string
  known: readonly string[]
  onChange(value: string): void
}) {
  const list = useId()
  return (
    <Field label={`${label} (optional)`} hint={hint}>
      <TextInput
        list={list}
        autoComplete="off"
        spellCheck={false}
        maxLength={limits.identifier_length_max}
        value={value}
        onChange={event => onChange(event.currentTarget.value)}
      />
      <datalist id={list}>
        {known.slice(0, 200).map(name => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </Field>
  )
}
