import { type FormEvent, useRef, useState } from 'react'
import { call } from '../../lib/call.ts'
import { sessionBegan } from '../../lib/session/session.ts'
import { Button } from '../../ui/button.tsx'
import { Field, TextInput } from '../../ui/field.tsx'
import { RefusalNote, useRefusals } from '../parts/refusal.tsx'
import { PasswordField } from './password-field.tsx'

const words = {
  login_refused: 'That e-mail and password do not belong together. Please check both.',
  validation_failed: 'That does not look like an e-mail address. Please check it.',
}

export function SignInForm({ email = '', fixed = false }: { email?: string; fixed?: boolean }) {
  const [address, setAddress] = useState(email)
  const [password, setPassword] = useState('')
  const [busy, setBusy] = useState(false)
  const passwordInput = useRef<HTMLInputElement>(null)
  const refusals = useRefusals()

  const signIn = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    setBusy(true)
    try {
      sessionBegan(await call('log_in', { body: { email: address, password } }))
    } catch (refused) {
      refusals.tell(refused as Error)
      setBusy(false)
      passwordInput.current?.select()
    }
  }

  return (
    <form onSubmit={event => void signIn(event)} className="flex flex-col gap-4">
      <Field label="E-mail">
        <TextInput
          type="email"
          name="email"
          autoComplete="username"
          required
          readOnly={fixed}
          autoFocus={!fixed}
          value={address}
          onChange={event => setAddress(event.currentTarget.value)}
        />
      </Field>
      <PasswordField
        autoComplete="current-password"
        autoFocus={fixed}
        inputRef={passwordInput}
        value={password}
        onChange={setPassword}
      />
      <RefusalNote refusals={refusals} words={words} />
      <Button type="submit" variant="primary" busy={busy} disabled={refusals.secondsLeft > 0}>
        Sign in
      </Button>
    </form>
  )
}
