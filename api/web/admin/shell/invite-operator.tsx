import { type FormEvent, useId, useState } from 'react'
import { limits } from '../../../../shared/contract/base/limits.ts'
import type { OperatorRole } from '../../../../shared/contract/operator-schema.ts'
import type { Answered } from '../../lib/call.ts'
import { useAct } from '../../lib/query.tsx'
import { OnceDialog } from '../../panels/keys/once-dialog.tsx'
import { Field, TextInput } from '../../ui/field.tsx'
import { type Offer, RadioCards } from '../../ui/radio-card.tsx'
import { SecretOnce } from '../../ui/secret-once.tsx'
import { ProblemNote } from '../../ui/state.tsx'

const roles: readonly Offer<OperatorRole>[] = [
  { value: 'operator', title: 'Operator', meaning: 'May change everything here.' },
  { value: 'on_call', title: 'On call', meaning: 'Reads everything here, and changes nothing.' },
]

export function InviteOperator({ open, onClose }: { open: boolean; onClose(): void }) {
  const form = useId()
  const [label, setLabel] = useState('')
  const [role, setRole] = useState<OperatorRole>('operator')
  const [made, setMade] = useState<Answered<'invite_operator'> | null>(null)
  const invite = useAct('invite_operator', { stale: ['list_operators'] })
  const close = (): void => {
    invite.reset()
    setMade(null)
    setLabel('')
    setRole('operator')
    onClose()
  }
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    invite.mutate({ body: { label, role } }, { onSuccess: setMade })
  }
  return (
    <OnceDialog
      open={open}
      onClose={close}
      title={made ? 'Send the link' : 'Invite operator'}
      description={made ? undefined : 'The next step shows a link, once. This service sends no mail.'}
      made={made !== null}
      form={{ id: form, label: 'Make link', busy: invite.isPending }}
    >
      {made ? (
        <SecretOnce secret={made.invitation_url} what="Link" called="link" onStored={close}>
          It is good once and for {limits.invitation_hours} hours. Whoever has it and signs in becomes the
          operator: send it to that person alone.
        </SecretOnce>
      ) : (
        <form id={form} onSubmit={submit} className="flex flex-col gap-5">
          <Field label="Whom it is for" hint="A name or an address: a label, which nobody signs in with.">
            <TextInput
              required
              autoFocus
              autoComplete="off"
              maxLength={limits.label_length_max}
              value={label}
              onChange={event => setLabel(event.currentTarget.value)}
            />
          </Field>
          <RadioCards<OperatorRole> legend="Role" offers={roles} value={role} onChoose={setRole} />
          {invite.error && <ProblemNote error={invite.error} />}
        </form>
      )}
    </OnceDialog>
  )
}
