import { useEffect, useRef, useState } from 'react'
import { Navigate, useLocation, useNavigate, useParams } from 'react-router'
import { ProblemError } from '../../lib/call.ts'
import { useCall } from '../../lib/query.tsx'
import { Button, ButtonLink } from '../../ui/button.tsx'
import { OutsideFrame } from '../../ui/layout/outside-frame.tsx'
import { ProblemNote, Skeleton } from '../../ui/state.tsx'
import { ForeignText } from '../../ui/text.tsx'
import { comeBack, leaveForIssuer } from './console-session.ts'

/** Shows a button per identity provider of the operators. Renders nothing if no provider is configured. */
export function ConsoleIssuers({ verb, invitation }: { verb: string; invitation?: string }) {
  const { data } = useCall('read_operator_sign_in')
  const [leaving, setLeaving] = useState<string | null>(null)
  const [error, setError] = useState<Error | null>(null)
  const leave = async (issuer: string): Promise<void> => {
    setLeaving(issuer)
    try {
      await leaveForIssuer(issuer, invitation)
    } catch (refused) {
      setError(readable(refused as Error))
      setLeaving(null)
    }
  }
  if (!data || data.issuers.length === 0) return null
  return (
    <div className="mb-6 flex flex-col gap-3">
      {data.issuers.map(({ name, title }) => (
        <Button
          key={name}
          busy={leaving === name}
          disabled={leaving !== null && leaving !== name}
          onClick={() => void leave(name)}
          className="w-full"
        >
          <span>
            {verb} <ForeignText text={title} />
          </span>
        </Button>
      ))}
      {error && <ProblemNote error={error} />}
    </div>
  )
}

/**
 * Shows an operator's invitation. Removes the token after the `#` from the address at once, so that the browser
 * history does not keep it.
 */
export function ConsoleInvitation() {
  const { hash } = useLocation()
  const [token] = useState(hash.slice(1))
  useEffect(() => window.history.replaceState(window.history.state, '', window.location.pathname), [])
  return (
    <OutsideFrame
      home="/"
      title="You are invited"
      lead="You are to be an operator of this service. Sign in, so that it knows you from now on."
    >
      <ConsoleIssuers verb="Accept with" invitation={token} />
    </OutsideFrame>
  )
}

/** Completes a sign-in once. Removes the identity provider's parameters from the address at once. */
export function ConsoleSignedIn() {
  const { issuer = '' } = useParams()
  const { search } = useLocation()
  const navigate = useNavigate()
  const [done, setDone] = useState(false)
  const [error, setError] = useState<Error | null>(null)
  const begun = useRef(false)
  useEffect(() => {
    if (begun.current) return
    begun.current = true
    void navigate({ search: '' }, { replace: true })
    comeBack(issuer, search.slice(1)).then(
      () => setDone(true),
      (refused: unknown) => setError(readable(refused as Error)),
    )
  }, [issuer, navigate, search])
  if (done) return <Navigate to="/" replace />
  return (
    <OutsideFrame
      home="/"
      title={error ? 'Not signed in' : 'Signing you in'}
      lead={error ? 'Nothing was changed.' : 'One moment: what the issuer said is being checked.'}
    >
      {error ? (
        <div className="flex flex-col items-start gap-4">
          <ProblemNote error={error} />
          <ButtonLink to="/" variant="primary">
            Back to the console
          </ButtonLink>
        </div>
      ) : (
        <Skeleton rows={3} />
      )}
    </OutsideFrame>
  )
}

const words: Readonly<Record<string, string>> = {
  sign_in_refused:
    'This sign-in does not hold: it is too old, was used before, or began in another browser. Please begin again.',
  identity_unknown: 'Nobody invited this identity. Ask an operator for an invitation.',
  identity_taken: 'This identity is an operator already. Please sign in without the link.',
  invitation_not_found: 'This link is not one of this service, or a part of it was cut off.',
  invitation_used: 'This invitation was used already. Please sign in, or ask for a new one.',
  invitation_ended: 'This invitation has ended. Please ask for a new one.',
  issuer_unavailable: 'This sign-in cannot be reached at the moment. Please try again in a minute.',
}

function readable(error: Error): Error {
  const known = error instanceof ProblemError ? words[error.problem.code] : undefined
  return known === undefined ? error : new Error(known)
}
