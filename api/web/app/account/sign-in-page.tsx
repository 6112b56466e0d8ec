import { Link, useLocation } from 'react-router'
import { OutsideFrame } from '../../ui/layout/outside-frame.tsx'
import { SignInForm } from './sign-in-form.tsx'

export function SignInPage() {
  const { search } = useLocation()
  return (
    <OutsideFrame
      title="Sign in"
      lead="See what your agents want to do, and decide."
      foot={
        <>
          <p>
            New here?{' '}
            <Link to={`/signup${search}`} className="rounded font-medium text-accent underline">
              Create an account
            </Link>
          </p>
          <p className="mt-3">
            Forgotten your password? This service sends no mail, so it cannot be reset here. Whoever runs it
            can still manage your applications.
          </p>
        </>
      }
    >
      <SignInForm />
    </OutsideFrame>
  )
}
