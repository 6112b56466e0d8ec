import { type FormEvent, useEffect, useState } from 'react'
import { Link, useLocation } from 'react-router'
import type { OfferedPasswordReset } from '../../../../shared/contract/account.ts'
import { call, ProblemError } from '../../lib/call.ts'
import { useCall } from '../../lib/query.tsx'
import { Button, ButtonLink } from '../../ui/button.tsx'
import { OutsideFrame } from '../../ui/layout/outside-frame.tsx'
import { Skeleton } from '../../ui/state.tsx'
import { ForeignText } from '../../ui/text.tsx'
import { RefusalNote, useRefusals } from '../parts/refusal.tsx'
import { PasswordField } from './password-field.tsx'
import { StrengthHint } from './strength-hint.tsx'

const words = {
  reset_not_found: 'This link was used, is too old, or a part of it was cut off. Please ask for a new one.',
  account_conflict: 'Another account with this e-mail has this password. Please choose a different one.',
}

/**
 * Sets a new password with an e-mailed token. Removes the token after the `#` from the address at once, so that
 * the browser history does not keep it.
 */
export function ResetPage() {
  const { hash } = useLocation()
  const [token] = useState(hash.slice(1))
  const [done, setDone] = useState(false)
  const { data: offered, error } = useCall('read_password_reset', { body: { token } })
  useEffect(() => window.history.replaceState(window.history.state, '', window.location.pathname), [])
  if (done) return <Changed />
  return (
    <OutsideFrame
      title="Choose a new password"
      lead={offered ? `For ${offered.email}.` : 'By the link in your e-mail.'}
      foot={
        <Link to="/forgot" className="rounded font-medium text-accent underline">
          Ask for a new link
        </Link>
      }
    >
      <RefusalNote refusals={{ error, secondsLeft: 0, tell: () => undefined }} words={words} />
      {!offered && !error && <Skeleton rows={4} />}
      {offered && <NewPassword token={token} {...offered} onDone={() => setDone(true)} />}
    </OutsideFrame>
  )
}

function Changed() {
  return (
    <OutsideFrame title="Password changed" lead="You are signed out everywhere.">
      <ButtonLink variant="primary" to="/login">
        Sign in
      </ButtonLink>
    </OutsideFrame>
  )
}

function NewPassword({
  token,
  email,
  accounts,
  onDone,
}: OfferedPasswordReset & { token: string; onDone(): void }) {
  const [account_id, setAccount] = useState(accounts[0]?.account_id ?? '')
  const [password, setPassword] = useState('')
  const [busy, setBusy] = useState(false)
  const refusals = useRefusals()
  const weak = weaknessOf(refusals.error)
  const change = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    setBusy(true)
    try {
      await call('complete_password_reset', { body: { token, account_id, password } })
      onDone()
    } catch (refused) {
      refusals.tell(refused as Error)
      setBusy(false)
    }
  }
  return (
    <form onSubmit={event => void change(event)} className="flex flex-col gap-5">
      {accounts.length > 1 && <AccountChoice accounts={accounts} value={account_id} onChoose={setAccount} />}
      <PasswordField
        autoComplete="new-password"
        autoFocus
        value={password}
        onChange={setPassword}
        hint={weak ? null : <StrengthHint password={password} email={email} />}
        error={weak}
      />
      {weak === null && <RefusalNote refusals={refusals} words={words} />}
      <Button type="submit" variant="primary" busy={busy} disabled={refusals.secondsLeft > 0}>
        Change password
      </Button>
    </form>
  )
}

function AccountChoice({
  accounts,
  value,
  onChoose,
}: Pick<OfferedPasswordReset, 'accounts'> & { value: string; onChoose(accountId: string): void }) {
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1 text-sm font-medium">Which account?</legend>
      {accounts.map(({ account_id, organization }) => (
        <label key={account_id} className="flex items-center gap-2">
          <input
            type="radio"
            name="account"
            checked={value === account_id}
            onChange={() => onChoose(account_id)}
          />
          <ForeignText text={organization} />
        </label>
      ))}
    </fieldset>
  )
}

function weaknessOf(error: Error | null): string | null {
  const issues = error instanceof ProblemError ? (error.problem.errors ?? []) : []
  const issue = issues.find(({ path }) => path === 'password')
  return issue ? `This password ${issue.message}.` : null
}
