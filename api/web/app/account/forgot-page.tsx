import { type FormEvent, useState } from 'react'
import { Link } from 'react-router'
import { limits } from '../../../../shared/contract/base/limits.ts'
import { call } from '../../lib/call.ts'
import { useCall } from '../../lib/query.tsx'
import { Button } from '../../ui/button.tsx'
import { Field, TextInput } from '../../ui/field.tsx'
import { OutsideFrame } from '../../ui/layout/outside-frame.tsx'
import { Reading } from '../../ui/state.tsx'
import { RefusalNote, useRefusals } from '../parts/refusal.tsx'

const words = {
  validation_failed: 'That does not look like an e-mail address. Please check it.',
}

export function ForgotPage() {
  const ways = useCall('read_sign_in')
  return (
    <OutsideFrame
      title="Forgot your password"
      lead={ways.data?.password_reset ? 'Get a link by e-mail and choose a new one.' : ''}
      foot={
        <Link to="/login" className="rounded font-medium text-accent underline">
          Back to sign-in
        </Link>
      }
    >
      <Reading query={ways} rows={3}>
        {({ password_reset }) => (password_reset ? <AskForm /> : <NoMail />)}
      </Reading>
    </OutsideFrame>
  )
}

function NoMail() {
  return (
    <>
      <p>This service sends no e-mail, so you cannot reset your password here.</p>
      <p className="mt-3 text-sm text-soft">
        Ask an owner of your organization to remove you and invite you again. If you are its only owner, ask
        whoever runs this service.
      </p>
    </>
  )
}

/** Shows the same answer for every e-mail address, because a different one would reveal which accounts exist. */
function AskForm() {
  const [email, setEmail] = useState('')
  const [busy, setBusy] = useState(false)
  const [asked, setAsked] = useState(false)
  const refusals = useRefusals()
  const ask = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    setBusy(true)
    try {
      await call('request_password_reset', { body: { email } })
      setAsked(true)
    } catch (refused) {
      refusals.tell(refused as Error)
    }
    setBusy(false)
  }
  if (asked)
    return (
      <div role="status">
        <p className="font-medium">Check your e-mail.</p>
        <p className="mt-2 text-sm text-soft">
          If {email} has an account, a link is on its way. It works once, for {limits.password_reset_minutes}{' '}
          minutes.
        </p>
      </div>
    )
  return (
    <form onSubmit={event => void ask(event)} className="flex flex-col gap-4">
      <Field label="E-mail">
        <TextInput
          type="email"
          name="email"
          autoComplete="username"
          required
          autoFocus
          value={email}
          onChange={event => setEmail(event.currentTarget.value)}
        />
      </Field>
      <RefusalNote refusals={refusals} words={words} />
      <Button type="submit" variant="primary" busy={busy} disabled={refusals.secondsLeft > 0}>
        Send link
      </Button>
    </form>
  )
}
