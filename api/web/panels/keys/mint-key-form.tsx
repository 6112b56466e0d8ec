import { type FormEvent, useState } from 'react'
import { limits } from '../../../../shared/contract/base/limits.ts'
import type { KeyRole } from '../../../../shared/contract/role-schema.ts'
import type { CallInput } from '../../lib/call.ts'
import { clockNow } from '../../lib/clock.ts'
import { Choice, Field, TextInput } from '../../ui/field.tsx'
import { type Offer, RadioCards } from '../../ui/radio-card.tsx'
import { ProblemNote } from '../../ui/state.tsx'

type Body = NonNullable<CallInput<'mint_owned_key'>['body']>
type Scope = 'agent' | KeyRole
export type Lifetime = 'never' | '1' | '30' | '90' | '365'

/** The id of the form. The submit button is outside the form, in the dialog's footer, and refers to this id. */
export const mintKeyForm = 'mint-key'

const dayMs = 86_400_000
export const lifetimes: readonly { value: Lifetime; label: string }[] = [
  { value: 'never', label: 'Never' },
  { value: '1', label: 'In 1 day' },
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In 1 year' },
]
const scopes: readonly Offer<Scope>[] = [
  { value: 'agent', title: 'Agent', meaning: 'Proposes actions and follows them. For the agent’s runtime.' },
  {
    value: 'approver',
    title: 'Approver',
    meaning: 'Approves and rejects what is held. Never for the agent’s runtime: it could approve itself.',
  },
  { value: 'policy_author', title: 'Policy author', meaning: 'Changes policy and catalog. For a pipeline.' },
  { value: 'auditor', title: 'Auditor', meaning: 'Reads everything, and changes nothing.' },
  { value: 'operator', title: 'Operator', meaning: 'Changes tools and their secrets, and pauses.' },
]

export function MintKeyForm({ error, onSubmit }: { error: Error | null; onSubmit(body: Body): void }) {
  const [name, setName] = useState('')
  const [scope, setScope] = useState<Scope>('agent')
  const [lifetime, setLifetime] = useState<Lifetime>('never')
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    onSubmit({ name, scope, expires_at: endOf(lifetime) })
  }
  return (
    <form id={mintKeyForm} onSubmit={submit} className="flex flex-col gap-5">
      <Field
        label="Name"
        hint="Where it is used, such as “support bot, production”. The audit trail keeps it."
      >
        <TextInput
          required
          autoFocus
          autoComplete="off"
          maxLength={limits.key_name_length_max}
          value={name}
          onChange={event => setName(event.currentTarget.value)}
        />
      </Field>
      <RadioCards<Scope> legend="Scope" offers={scopes} value={scope} onChoose={setScope} />
      <Field label="Expires" hint="It stops working by itself then. You can revoke it at any time.">
        <Choice<Lifetime> options={lifetimes} value={lifetime} onChoose={setLifetime} className="sm:w-56" />
      </Field>
      {error && <ProblemNote error={error} />}
    </form>
  )
}

export function endOf(lifetime: Lifetime): string | null {
  return lifetime === 'never' ? null : new Date(clockNow() + Number(lifetime) * dayMs).toISOString()
}
