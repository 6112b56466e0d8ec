import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { ProblemError } from '../../lib/call.ts'
import { type LockReason, unlock } from '../../lib/session/tab-key.ts'
import { Button } from '../../ui/button.tsx'
import { Field, TextInput } from '../../ui/field.tsx'
import { OutsideFrame } from '../../ui/layout/outside-frame.tsx'
import { ProblemNote } from '../../ui/state.tsx'

export interface UnlockWords {
  /** The name of the page, such as "console". */
  place: string
  /** The name of the key, such as "Admin key". */
  keyName: string
  prefix: string
  title: string
  lead: string
  button: string
}

function reasonOf(reason: LockReason, { place, keyName }: UnlockWords): string | null {
  const itself = `The ${place} locked itself:`
  const reasons: Readonly<Record<LockReason, string | null>> = {
    fresh: null,
    by_hand: `The ${place} is locked.`,
    idle: `Nobody used the ${place} for 30 minutes, so it locked itself.`,
    key_revoked: `${itself} its ${keyName.toLowerCase()} was revoked.`,
    key_expired: `${itself} its ${keyName.toLowerCase()} has expired.`,
    key_refused: `${itself} the service takes its key no longer.`,
    session_ended: 'Your session has ended. Please sign in again.',
  }
  return reasons[reason]
}

/**
 * Unlocks a page with a key, which stays in the tab's memory. `children` and `beside` offer other ways to sign in.
 */
export function UnlockPage({
  reason,
  children,
  beside,
  ...words
}: UnlockWords & { reason: LockReason; children?: ReactNode; beside?: ReactNode }) {
  const { title, lead, place } = words
  const told = reasonOf(reason, words)
  return (
    <OutsideFrame
      home="/"
      title={title}
      lead={lead}
      foot={
        <>
          {children && <p className="mb-3">{children}</p>}
          <p>
            The key is kept in the memory of this tab only. Reloading or closing the tab locks the {place}; so
            do 30 minutes without use.
          </p>
        </>
      }
    >
      {told && (
        <p role="status" className="mb-4 rounded-lg bg-warn-wash px-4 py-3 text-sm text-warn">
          {told}
        </p>
      )}
      {beside}
      <UnlockForm {...words} />
    </OutsideFrame>
  )
}

function UnlockForm({ place, keyName, prefix, button }: UnlockWords) {
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
      setError(readable(refused as Error, { place, keyName, prefix }))
      setBusy(false)
    }
  }

  return (
    <form onSubmit={event => void submit(event)} autoComplete="off" className="flex flex-col gap-4">
      <Field label={keyName} hint={`It begins with ${prefix}.`}>
        <TextInput
          ref={input}
          type="password"
          name={`${place}-key`}
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
        {button}
      </Button>
    </form>
  )
}

const unlikely = 'This is not a key: keys are made of letters, digits and signs, without spaces.'

function readable(
  error: Error,
  { place, keyName, prefix }: Pick<UnlockWords, 'place' | 'keyName' | 'prefix'>,
): Error {
  if (!(error instanceof ProblemError)) return error
  const refusals: Readonly<Record<string, string>> = {
    invalid_key: 'This key is not valid. Check that you copied all of it.',
    wrong_scope: `This is a key of another kind. The ${place} needs an ${keyName.toLowerCase()}, which begins with ${prefix}.`,
    key_revoked: 'This key was revoked.',
    key_expired: 'This key has expired.',
  }
  const words = refusals[error.problem.code]
  return words === undefined ? error : new Error(words)
}
