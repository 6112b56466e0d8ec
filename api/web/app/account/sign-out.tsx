import { useState } from 'react'
import { signOut } from '../../lib/session/session.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { ProblemNote } from '../../ui/state.tsx'

/** Ends this session at once. Ending all sessions of the account needs a confirmation. */
export function SignOut() {
  const [asking, setAsking] = useState(false)
  const { leave, leaving, error } = useSignOut()
  return (
    <>
      {error && <ProblemNote error={error} className="mt-5" />}
      <div className="mt-5 flex flex-wrap gap-2 border-t border-line pt-5">
        <Button variant="primary" busy={leaving === 'here'} onClick={() => leave('here')}>
          Sign out
        </Button>
        <Button onClick={() => setAsking(true)}>Sign out everywhere…</Button>
      </div>
      <Dialog
        open={asking}
        onClose={() => setAsking(false)}
        title="Sign out everywhere?"
        description="Every session of your account ends, in this browser and in all others. Your agents and their keys go on working."
        footer={
          <>
            <Button onClick={() => setAsking(false)}>Stay signed in</Button>
            <Button variant="primary" busy={leaving === 'everywhere'} onClick={() => leave('everywhere')}>
              Sign out everywhere
            </Button>
          </>
        }
      >
        {error && <ProblemNote error={error} />}
      </Dialog>
    </>
  )
}

type Reach = 'here' | 'everywhere'

function useSignOut(): { leave(reach: Reach): void; leaving: Reach | null; error: Error | null } {
  const [leaving, setLeaving] = useState<Reach | null>(null)
  const [error, setError] = useState<Error | null>(null)
  const leave = async (reach: Reach): Promise<void> => {
    setLeaving(reach)
    try {
      await signOut(reach === 'everywhere')
    } catch (refused) {
      setError(refused as Error)
      setLeaving(null)
    }
  }
  return { leave: reach => void leave(reach), leaving, error }
}
