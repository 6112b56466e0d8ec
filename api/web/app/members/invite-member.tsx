import { type FormEvent, useId, useState } from 'react'
import type { OwnedTenant } from '../../../../shared/contract/account.ts'
import { limits } from '../../../../shared/contract/base/limits.ts'
import type { Grants } from '../../../../shared/contract/role-schema.ts'
import type { Answered } from '../../lib/call.ts'
import { useAct } from '../../lib/query.tsx'
import { OnceDialog } from '../../panels/keys/once-dialog.tsx'
import { Field, TextInput } from '../../ui/field.tsx'
import { SecretOnce } from '../../ui/secret-once.tsx'
import { ProblemNote } from '../../ui/state.tsx'
import { GrantsFields } from './grants-fields.tsx'

const nothing: Grants = { owner: false, roles: [] }

export function InviteMember({
  tenants,
  open,
  onClose,
}: {
  tenants: readonly OwnedTenant[]
  open: boolean
  onClose(): void
}) {
  const form = useId()
  const [label, setLabel] = useState('')
  const [grants, setGrants] = useState(nothing)
  const [made, setMade] = useState<Answered<'invite_member'> | null>(null)
  const invite = useAct('invite_member', { stale: ['list_invitations'] })
  const close = (): void => {
    invite.reset()
    setMade(null)
    setLabel('')
    setGrants(nothing)
    onClose()
  }
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    invite.mutate({ body: { label, ...grants } }, { onSuccess: setMade })
  }
  return (
    <OnceDialog
      open={open}
      onClose={close}
      title={made ? 'Send the link' : 'Invite somebody'}
      description={made ? undefined : 'The next step shows a link, once. This service sends no mail.'}
      made={made !== null}
      form={{ id: form, label: 'Make link', busy: invite.isPending }}
    >
      {made ? (
        <SecretOnce secret={made.invitation_url} what="Link" called="link" onStored={close}>
          It is good once and for {limits.invitation_hours} hours. Whoever has it becomes the member: send it
          to that person alone.
        </SecretOnce>
      ) : (
        <form id={form} onSubmit={submit} className="flex flex-col gap-5">
          <Field label="Whom it is for" hint="A name or an address, for your own list.">
            <TextInput
              required
              autoFocus
              maxLength={limits.label_length_max}
              value={label}
              onChange={event => setLabel(event.currentTarget.value)}
            />
          </Field>
          <GrantsFields value={grants} tenants={tenants} onChange={setGrants} />
          {invite.error && <ProblemNote error={invite.error} />}
        </form>
      )}
    </OnceDialog>
  )
}
