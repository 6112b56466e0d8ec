import { type FormEvent, useState } from 'react'
import { limits } from '../../../../shared/contract/base/limits.ts'
import type { AdminScope } from '../../../../shared/contract/role-schema.ts'
import type { Answered } from '../../lib/call.ts'
import { useAct } from '../../lib/query.tsx'
import { endOf, type Lifetime, lifetimes } from '../../panels/keys/mint-key-form.tsx'
import { OnceDialog } from '../../panels/keys/once-dialog.tsx'
import { Choice, Field, TextInput } from '../../ui/field.tsx'
import { type Offer, RadioCards } from '../../ui/radio-card.tsx'
import { SecretOnce } from '../../ui/secret-once.tsx'
import { ProblemNote } from '../../ui/state.tsx'

const form = 'mint-admin-key'

const scopes: readonly Offer<AdminScope>[] = [
  { value: 'admin', title: 'Admin', meaning: 'May change everything here.' },
  { value: 'on_call', title: 'On call', meaning: 'Reads everything here, and changes nothing.' },
]

export function MintAdminKey({ open, onClose }: { open: boolean; onClose(): void }) {
  const mint = useAct('mint_admin_key', { stale: ['list_admin_keys'] })
  const [issued, setIssued] = useState<Answered<'mint_admin_key'> | null>(null)
  const [name, setName] = useState('')
  const [scope, setScope] = useState<AdminScope>('admin')
  const [lifetime, setLifetime] = useState<Lifetime>('90')
  const close = (): void => {
    mint.reset()
    setIssued(null)
    setName('')
    setScope('admin')
    onClose()
  }
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    mint.mutate({ body: { name, scope, expires_at: endOf(lifetime) } }, { onSuccess: setIssued })
  }
  return (
    <OnceDialog
      open={open}
      onClose={close}
      title={issued ? 'Store the admin key' : 'New admin key'}
      description={issued ? undefined : 'The next step shows its secret, once.'}
      made={issued !== null}
      form={{ id: form, label: 'Make key', busy: mint.isPending }}
    >
      {issued ? (
        <SecretOnce secret={issued.api_key} what={`Key ${issued.key.name}`} onStored={close}>
          {issued.key.scope === 'admin'
            ? 'For one operator. It may change policies, keys and actuators of every tenant.'
            : 'For one person on call. It reads everything of every tenant, and changes nothing.'}
        </SecretOnce>
      ) : (
        <form id={form} onSubmit={submit} className="flex flex-col gap-5">
          <Field label="Name" hint="The holder of the key. The audit trail keeps it.">
            <TextInput
              required
              autoFocus
              autoComplete="off"
              maxLength={limits.key_name_length_max}
              value={name}
              onChange={event => setName(event.currentTarget.value)}
            />
          </Field>
          <RadioCards<AdminScope> legend="Scope" offers={scopes} value={scope} onChoose={setScope} />
          <Field label="Expires" hint="It stops working by itself then. You can revoke it at any time.">
            <Choice<Lifetime>
              options={lifetimes}
              value={lifetime}
              onChoose={setLifetime}
              className="sm:w-56"
            />
          </Field>
          {mint.error && <ProblemNote error={mint.error} />}
        </form>
      )}
    </OnceDialog>
  )
}
