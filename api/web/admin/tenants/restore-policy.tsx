import { useState } from 'react'
import { limits } from '../../../../shared/contract/base/limits.ts'
import type { CallInput } from '../../lib/call.ts'
import { useAct } from '../../lib/query.tsx'
import { Confirm } from '../../panels/confirm.tsx'
import { Field, TextInput } from '../../ui/field.tsx'
import type { Saved } from './edited-document.ts'

/** Saves the content of an old revision as a new revision, because revisions never change. */
export function RestorePolicy({
  tenantId,
  revision,
  next,
  onRestored,
  onClose,
}: {
  tenantId: string
  revision: number | null
  next: number
  onRestored(saved: Saved): void
  onClose(): void
}) {
  const [note, setNote] = useState('')
  const restore = useAct('rollback_policy', {
    stale: ['read_policy', 'list_policy_revisions', 'list_tenants'],
  })
  const input = (): CallInput<'rollback_policy'> => ({
    params: { tenant_id: tenantId },
    body: { revision: revision ?? 1, ...(note.trim() === '' ? {} : { change_note: note.trim() }) },
  })
  return (
    <Confirm
      open={revision !== null}
      onClose={onClose}
      act={{
        ...restore,
        mutate: (given: CallInput<'rollback_policy'>, { onSuccess }: { onSuccess(): void }) =>
          restore.mutate(given, {
            onSuccess: state => {
              onRestored({ revision: state.revision, warnings: [], regressions: state.regressions })
              onSuccess()
            },
          }),
      }}
      input={input}
      title={`Roll back to revision ${revision ?? ''}?`}
      label="Roll back"
      done="The old policy is in force again"
    >
      <p className="mb-4">
        Its content becomes revision {next} and governs every proposal from then on. What was decided
        meanwhile stays as it was decided.
      </p>
      <Field label="Why (optional)" hint="It is recorded with the revision.">
        <TextInput
          maxLength={limits.change_note_length_max}
          value={note}
          onChange={event => setNote(event.currentTarget.value)}
        />
      </Field>
    </Confirm>
  )
}
