import { useEffect, useRef, useState } from 'react'
import { Navigate, useLocation, useNavigate, useParams } from 'react-router'
import { call } from '../../lib/call.ts'
import { sessionBegan, useSession } from '../../lib/session/session.ts'
import { ButtonLink } from '../../ui/button.tsx'
import { OutsideFrame } from '../../ui/layout/outside-frame.tsx'
import { Skeleton } from '../../ui/state.tsx'
import { RefusalNote, useRefusals } from '../parts/refusal.tsx'
import { takeBack } from './issuer-buttons.tsx'

const words = {
  sign_in_refused:
    'This sign-in does not hold: it is too old, was used before, or began in another browser. Please begin again.',
  identity_unknown: 'Nobody here is known by this identity yet. Please create an organization first.',
  identity_taken: 'Another account is opened by this identity already. Nothing was linked.',
  already_member:
    'This identity opens an account already, and an account belongs to one organization. Nothing was accepted.',
  invitation_used: 'The invitation was accepted already. Please sign in, or ask for a new one.',
  invitation_ended: 'The invitation has ended. Please ask for a new one.',
  issuer_unavailable: 'The sign-in could not be checked at the moment. Please try again in a minute.',
}

/** Completes a sign-in once. Removes the identity provider's parameters from the address at once. */
export function SignedInPage() {
  const { issuer = '' } = useParams()
  const { search } = useLocation()
  const session = useSession()
  const navigate = useNavigate()
  const [landing, setLanding] = useState<string | null>(null)
  const begun = useRef(false)
  const refusals = useRefusals()
  const isKnown = session.phase !== 'unknown'

  useEffect(() => {
    // Waits for the running session request, because its late answer would replace the result of this sign-in.
    if (!isKnown || begun.current) return
    begun.current = true
    const redeem = async (): Promise<void> => {
      void navigate({ search: '' }, { replace: true })
      try {
        const body = { issuer, parameters: search.slice(1) }
        const profile = await call('complete_sign_in', { body })
        const back = takeBack()
        sessionBegan(profile)
        setLanding(back)
      } catch (refused) {
        refusals.tell(refused as Error)
      }
    }
    void redeem()
  }, [isKnown, issuer, navigate, refusals, search])

  if (landing !== null) return <Navigate to={landing} replace />
  return (
    <OutsideFrame
      title={refusals.error ? 'Not signed in' : 'Signing you in'}
      lead={refusals.error ? 'Nothing was changed.' : 'One moment: what the issuer said is being checked.'}
    >
      {refusals.error ? (
        <div className="flex flex-col gap-4">
          <RefusalNote refusals={refusals} words={words} />
          <div className="flex flex-wrap gap-2">
            <ButtonLink to="/login" variant="primary">
              Sign in again
            </ButtonLink>
            <ButtonLink to="/signup">Create an organization</ButtonLink>
          </div>
        </div>
      ) : (
        <Skeleton rows={3} />
      )}
    </OutsideFrame>
  )
}
