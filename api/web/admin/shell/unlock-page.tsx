import { type FormEvent, useEffect, useRef, useState } from 'react'
import { ProblemError } from '../../lib/call.ts'
import { Button } from '../../ui/button.tsx'
import { Field, TextInput } from '../../ui/field.tsx'
import { OutsideFrame } from '../../ui/layout/outside-frame.tsx'
import { ProblemNote } from '../../ui/state.tsx'
import { type LockReason, unlock } from './admin-key.ts'

const reasons: Readonly<Record<LockReason, string | null>> = {
  fresh: null,
  by_hand: 'The console is locked.',
  idle: 'Nobody used the console for 30 minutes, so it locked itself.',
  key_revoked: 'The console locked itself: its admin key was revoked.',
  key_expired: 'The console locked itself: its admin key has expired.',
  key_refused: 'The console locked itself: the service takes its key no longer.',
}

/** The way in: an admin key, which stays in the memory of this tab. */
export function UnlockPage({ reason }: { reason: LockReason }) {
  return (
    <OutsideFrame
      home="/"
      title="Unlock the console"
      lead="The console sees and stops everything in this deployment. It opens with an admin key."
      foot="The key is kept in the memory of this tab only. Reloading or closing the tab locks the console; so do 30 minutes without use."
    >
      {reasons[reason] && (
        <p role="status" className="mb-4 rounded-lg bg-warn-wash px-4 py-3 text-sm text-warn">
          {reasons[reason]}
        </p>
      )}
      <UnlockForm />
    </OutsideFrame>
  )
}

function UnlockForm() {
  const [candidate, setCandidate] = useState('')
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<Error | null>(null)
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (error) input.current?.focus()
  }, [error])

  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    const key = candidate.trim()
    if (!/^[\x21-\x7e]+$/.test(key)) return setError(new Error(unlikely))
    setBusy(true)
    try {
      await unlock(key)
    } catch (refused) {
      setError(readable(refused as Error))
      setBusy(false)
    }
  }

  return (
    <form onSubmit={event => void submit(event)} autoComplete="off" className="flex flex-col gap-4">
      <Field label="Admin key" hint="It begins with adk_.">
        <TextInput
          ref={input}
          type="password"
          name="console-key"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          required
          autoFocus
          className="font-mono"
          value={candidate}
          onChange={event => setCandidate(event.currentTarget.value)}
        />
      </Field>
      {error && <ProblemNote error={error} />}
      <Button type="submit" variant="primary" busy={busy}>
        Unlock
      </Button>
    </form>
  )
}

const unlikely = 'This is not a key: keys are made of letters, digits and signs, without spaces.'

const refusals: Readonly<Record<string, string>> = {
  invalid_key: 'This key is not valid. Check that you copied all of it.',
  wrong_scope: 'This is a key, but no admin key. The console needs one that begins with adk_.',
  key_revoked: 'This key was revoked.',
  key_expired: 'This key has expired.',
}

/** The service's own words, unless they can be said better here. */
function readable(error: Error): Error {
  const words = error instanceof ProblemError ? refusals[error.problem.code] : undefined
  return words === undefined ? error : new Error(words)
}
