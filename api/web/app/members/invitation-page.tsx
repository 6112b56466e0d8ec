import { type FormEvent, useEffect, useState } from 'react'
import { Link, useLocation } from 'react-router'
import type { OfferedInvitation } from '../../../../shared/contract/member-schema.ts'
import { call } from '../../lib/call.ts'
import { useCall } from '../../lib/query.tsx'
import { roleWords } from '../../lib/session/roles.ts'
import { sessionBegan, useSession } from '../../lib/session/session.ts'
import { Button } from '../../ui/button.tsx'
import { Field, TextInput } from '../../ui/field.tsx'
import { OutsideFrame } from '../../ui/layout/outside-frame.tsx'
import { Skeleton } from '../../ui/state.tsx'
import { ForeignText } from '../../ui/text.tsx'
import { IssuerButtons, OrDivider } from '../account/issuer-buttons.tsx'
import { PasswordField } from '../account/password-field.tsx'
import { SignOut } from '../account/sign-out.tsx'
import { StrengthHint } from '../account/strength-hint.tsx'
import { RefusalNote, useRefusals } from '../parts/refusal.tsx'

const words = {
  invitation_not_found: 'This link is not one of this service, or a part of it was cut off.',
  invitation_used: 'This invitation was accepted already. Please sign in, or ask for a new one.',
  invitation_ended: 'This invitation has ended. Please ask for a new one.',
  account_conflict:
    'You cannot join with this: an account with this e-mail and password is here already, or a member of the organization has a name that looks like yours.',
}

/**
 * Shows an invitation and the ways to accept it. Removes the token after the `#` from the address at once, so that
 * the browser history does not keep it.
 */
export function InvitationPage() {
  const { hash } = useLocation()
  const [token] = useState(hash.slice(1))
  const session = useSession()
  const { data: offered, error } = useCall('read_invitation', { body: { token } })
  useEffect(() => window.history.replaceState(window.history.state, '', window.location.pathname), [])
  return (
    <OutsideFrame
      title="You are invited"
      lead={offered ? <Offer {...offered} /> : 'What is offered to you, and how to accept it.'}
      foot={
        <Link to="/login" className="rounded font-medium text-accent underline">
          Sign in without accepting it
        </Link>
      }
    >
      <RefusalNote refusals={{ error, secondsLeft: 0, tell: () => undefined }} words={words} />
      {!offered && !error && <Skeleton rows={4} />}
      {offered && ('profile' in session ? <SignedIn /> : <Ways token={token} />)}
    </OutsideFrame>
  )
}

function Offer({ organization, owner, roles }: OfferedInvitation) {
  const names = [...new Set(roles.map(({ application }) => application))]
  return (
    <>
      <ForeignText text={organization} /> invites you.{' '}
      {owner ? 'You will own the organization.' : names.length === 0 && 'Your roles are given later.'}
      {!owner &&
        names.map(name => (
          <span key={name} className="block">
            <ForeignText text={name} />:{' '}
            {roles
              .filter(({ application }) => application === name)
              .map(({ role }) => roleWords[role].label)
              .join(', ')}
          </span>
        ))}
    </>
  )
}

/** Tells a signed-in person to sign out first, because an account belongs to only one organization. */
function SignedIn() {
  return (
    <div className="flex flex-col gap-4">
      <p>You are signed in, and an account belongs to one organization. Sign out, and open the link again.</p>
      <SignOut />
    </div>
  )
}

function Ways({ token }: { token: string }) {
  const { data } = useCall('read_sign_in')
  if (!data) return <Skeleton rows={4} />
  const { local, issuers } = data
  return (
    <>
      {issuers.length > 0 && (
        <IssuerButtons issuers={issuers} verb="Accept with" back="/" invitation={token} />
      )}
      {local && issuers.length > 0 && <OrDivider />}
      {local && <AcceptForm token={token} />}
    </>
  )
}

function AcceptForm({ token }: { token: string }) {
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const [busy, setBusy] = useState(false)
  const refusals = useRefusals()
  const accept = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    setBusy(true)
    try {
      sessionBegan(await call('accept_invitation', { body: { token, email, password } }), '/')
    } catch (refused) {
      refusals.tell(refused as Error)
      setBusy(false)
    }
  }
  return (
    <form onSubmit={event => void accept(event)} className="flex flex-col gap-5">
      <Field label="E-mail">
        <TextInput
          type="email"
          name="email"
          autoComplete="username"
          required
          value={email}
          onChange={event => setEmail(event.currentTarget.value)}
        />
      </Field>
      <PasswordField
        autoComplete="new-password"
        value={password}
        onChange={setPassword}
        hint={<StrengthHint password={password} email={email} />}
      />
      <RefusalNote refusals={refusals} words={words} />
      <Button type="submit" variant="primary" busy={busy} disabled={refusals.secondsLeft > 0}>
        Accept and create account
      </Button>
    </form>
  )
}
