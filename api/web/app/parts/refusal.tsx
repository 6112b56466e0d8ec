import { useState } from 'react'
import { ProblemError } from '../../lib/call.ts'
import { clockNow, useNow } from '../../lib/clock.ts'
import { counted } from '../../lib/format.ts'
import { ProblemNote } from '../../ui/state.tsx'

export interface Refusals {
  error: Error | null
  secondsLeft: number
  tell(error: Error | null): void
}

/** Keeps the last error of a request. An error that says when to retry is dropped at that time. */
export function useRefusals(): Refusals {
  const [refused, setRefused] = useState<{ error: Error; until: number | null } | null>(null)
  const now = useNow()
  const until = refused?.until ?? null
  const secondsLeft = until === null ? 0 : Math.max(0, Math.ceil((until - now) / 1_000))
  return {
    error: until !== null && secondsLeft === 0 ? null : (refused?.error ?? null),
    secondsLeft,
    tell: error => setRefused(error && { error, until: untilOf(error) }),
  }
}

/** Shows an error in plain words. `words` maps the problem's code to the text. */
export function RefusalNote({
  refusals: { error, secondsLeft },
  words = {},
}: {
  refusals: Refusals
  words?: Readonly<Record<string, string>>
}) {
  if (!error) return null
  if (secondsLeft > 0) return <WaitNote secondsLeft={secondsLeft} />
  const plain = error instanceof ProblemError ? words[error.problem.code] : undefined
  return plain === undefined ? (
    <ProblemNote error={error} />
  ) : (
    <p
      role="alert"
      className="rounded-lg border border-bad/30 bg-bad-wash px-4 py-3 text-sm font-medium text-bad"
    >
      {plain}
    </p>
  )
}

/**
 * Shows a countdown, but announces the wait only once, because a screen reader would otherwise read every second.
 */
function WaitNote({ secondsLeft }: { secondsLeft: number }) {
  const [atFirst] = useState(secondsLeft)
  return (
    <div className="rounded-lg border border-warn/30 bg-warn-wash px-4 py-3 text-sm text-warn">
      <p role="alert" className="sr-only">
        Too many attempts. You can try again in {inWords(atFirst)}.
      </p>
      <p aria-hidden>
        <span className="font-medium">Too many attempts.</span> You can try again in{' '}
        <span className="font-medium tabular-nums">{inWords(secondsLeft)}</span>.
      </p>
    </div>
  )
}

/** Returns a text such as "42 seconds" or "14 minutes 3 seconds". */
function inWords(seconds: number): string {
  const minutes = Math.floor(seconds / 60)
  const rest = counted(seconds % 60, 'second')
  return minutes === 0 ? rest : `${counted(minutes, 'minute')} ${rest}`
}

function untilOf(error: Error): number | null {
  if (!(error instanceof ProblemError) || error.retryAfter === null) return null
  return error.problem.status === 429 ? clockNow() + error.retryAfter * 1_000 : null
}
