import { useEffect } from 'react'
import { basePath } from '../../lib/base-path.ts'
import { resumeSession, sessionEnded } from '../../lib/session/session.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { SignInForm } from './sign-in-form.tsx'

/**
 * Asks the person to sign in again after the session has ended. Waiting requests are sent after the sign-in, also
 * if it happens in another tab.
 */
export function SignInAgain({ email, elsewhere }: { email: string; elsewhere: boolean }) {
  useEffect(() => {
    const resume = (): void => void resumeSession()
    window.addEventListener('focus', resume)
    return () => window.removeEventListener('focus', resume)
  }, [])
  return (
    <Dialog
      open
      onClose={sessionEnded}
      dismissible={false}
      title="Please sign in again"
      description="Your session ran out, or you signed out somewhere else. Nothing is lost: what you were doing goes on as soon as you are back."
      footer={
        <Button variant="quiet" onClick={sessionEnded}>
          Leave without signing in
        </Button>
      }
    >
      {elsewhere ? (
        <a
          href={`${basePath}/app/login`}
          target="_blank"
          rel="noreferrer"
          className="rounded font-medium text-accent underline"
        >
          Sign in in another tab, then come back to this one
        </a>
      ) : (
        <SignInForm email={email} fixed />
      )}
    </Dialog>
  )
}
