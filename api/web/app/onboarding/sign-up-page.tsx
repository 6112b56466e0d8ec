import { useRef, useState } from 'react'
import { Link, useLocation } from 'react-router'
import { limits } from '../../../../shared/contract/base/limits.ts'
import type { SignInWays } from '../../../../shared/contract/identity.ts'
import { useCall } from '../../lib/query.tsx'
import { Field, TextInput } from '../../ui/field.tsx'
import { OutsideFrame } from '../../ui/layout/outside-frame.tsx'
import { Reading } from '../../ui/state.tsx'
import { IssuerButtons, OrDivider } from '../account/issuer-buttons.tsx'
import { SignUpForm } from './sign-up-form.tsx'

export function SignUpPage() {
  const { search } = useLocation()
  const ways = useCall('read_sign_in')
  return (
    <OutsideFrame
      wide
      title="Create your account"
      lead="In a few minutes your agent makes its first proposal, and you see what the gate decides."
      foot={
        <p>
          Have an account already?{' '}
          <Link to={`/login${search}`} className="rounded font-medium text-accent underline">
            Sign in
          </Link>
        </p>
      }
    >
      <Reading query={ways} rows={6}>
        {shown => <Ways ways={shown} back={new URLSearchParams(search).get('back') ?? '/'} />}
      </Reading>
    </OutsideFrame>
  )
}

function Ways({ ways: { local, issuers }, back }: { ways: SignInWays; back: string }) {
  const open = issuers.filter(({ sign_up }) => sign_up)
  if (!local && open.length === 0)
    return <p className="text-soft">Only people who are invited have an account here.</p>
  return (
    <>
      {open.length > 0 && <AtIssuers issuers={open} back={back} />}
      {local && open.length > 0 && <OrDivider />}
      {local && <SignUpForm />}
    </>
  )
}

function AtIssuers({ issuers, back }: { issuers: SignInWays['issuers']; back: string }) {
  const [name, setName] = useState('')
  const [error, setError] = useState<string | null>(null)
  const input = useRef<HTMLInputElement>(null)
  const organization = (): string | null => {
    if (name.trim() !== '') return name
    setError('Please give the organization a name first.')
    input.current?.focus()
    return null
  }
  return (
    <div className="flex flex-col gap-4">
      <Field label="Name of your organization" hint="Your company or team. Only you see it." error={error}>
        <TextInput
          ref={input}
          name="organization-elsewhere"
          autoComplete="organization"
          maxLength={limits.label_length_max}
          value={name}
          onChange={event => {
            setName(event.currentTarget.value)
            setError(null)
          }}
        />
      </Field>
      <IssuerButtons issuers={issuers} verb="Continue with" back={back} organization={organization} />
    </div>
  )
}
