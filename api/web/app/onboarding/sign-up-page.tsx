import { Link, useLocation } from 'react-router'
import { OutsideFrame } from '../../ui/layout/outside-frame.tsx'
import { SignUpForm } from './sign-up-form.tsx'

export function SignUpPage() {
  const { search } = useLocation()
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
      <SignUpForm />
    </OutsideFrame>
  )
}
