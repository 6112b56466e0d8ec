import type { ReactNode } from 'react'
import { Link, useLocation } from 'react-router'
import type { SignInWays } from '../../../../shared/contract/identity.ts'
import { useCall } from '../../lib/query.tsx'
import { OutsideFrame } from '../../ui/layout/outside-frame.tsx'
import { Reading } from '../../ui/state.tsx'
import { IssuerButtons, OrDivider } from './issuer-buttons.tsx'
import { SignInForm } from './sign-in-form.tsx'

export function SignInPage() {
  const { search } = useLocation()
  const ways = useCall('read_sign_in')
  return (
    <OutsideFrame
      title="Sign in"
      lead="See what your agents want to do, and decide."
      foot={ways.data && <Foot ways={ways.data} search={search} />}
    >
      <Reading query={ways} rows={5}>
        {shown => <Ways ways={shown} back={new URLSearchParams(search).get('back') ?? '/'} />}
      </Reading>
    </OutsideFrame>
  )
}

function Ways({ ways: { local, issuers }, back }: { ways: SignInWays; back: string }) {
  if (!local && issuers.length === 0)
    return <p className="text-soft">Whoever runs this service has turned sign-in off.</p>
  return (
    <>
      {issuers.length > 0 && <IssuerButtons issuers={issuers} verb="Sign in with" back={back} />}
      {local && issuers.length > 0 && <OrDivider />}
      {local && <SignInForm />}
    </>
  )
}

function Foot({ ways: { local, issuers }, search }: { ways: SignInWays; search: string }): ReactNode {
  const takesNew = local || issuers.some(({ sign_up }) => sign_up)
  return (
    <>
      {takesNew && (
        <p>
          New here?{' '}
          <Link to={`/signup${search}`} className="rounded font-medium text-accent underline">
            Create an account
          </Link>
        </p>
      )}
      {local && (
        <p className="mt-3">
          <Link to="/forgot" className="rounded font-medium text-accent underline">
            Forgot your password?
          </Link>
        </p>
      )}
    </>
  )
}
