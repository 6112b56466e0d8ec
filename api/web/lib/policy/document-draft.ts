import { useMemo, useState } from 'react'
import { type Draft, useStoredDraft } from '../drafts.ts'
import { useRested } from '../rested.ts'
import { useSession } from '../session/session.ts'
import { draftText, type ReadDraft, readDraft } from './read-draft.ts'

export interface InForce {
  revision: number
  text: string
}

export interface DocumentDraft {
  text: string
  base: InForce
  dirty: boolean
  /** False if the browser has no room for the draft, so that a reload loses it. */
  kept: boolean
  /** The parsed draft. Forms update it at once, and typing updates it after a pause. */
  read: ReadDraft
  /** False while `read` lags behind the typed text. */
  settled: boolean
  change(text: string): void
  /** Parses the text at once, because the person may switch from the editor to a form that needs the value. */
  settle(): void
  /** Writes and parses a form's value at once, because the form's next change builds on it. */
  write(value: object): void
  /** Starts a new draft of the revision in force, with that revision's text or with `text`. */
  begin(text?: string): void
  drop(): void
  /** Keeps the text, and makes it a draft of the newest revision. */
  rebase(): void
}

const restMs = 300

/** Returns the draft of an application's document. Without a draft, the text is that of the revision in force. */
export function useDocumentDraft(
  kind: 'policy' | 'catalog',
  tenantId: string,
  inForce: InForce,
): DocumentDraft {
  const session = useSession()
  const account = 'profile' in session ? session.profile.account.account_id : ''
  const { draft, kept, put } = useStoredDraft(`${account}/${tenantId}/${kind}`)
  const { text, base } = draft ?? { text: inForce.text, base: inForce }
  const rested = useRested(text, restMs)
  const [written, setWritten] = useState<string | null>(null)
  const readable = written === text ? text : rested
  const read = useMemo(() => readDraft(readable), [readable])
  const keep = (next: Draft): void => put(next.text === next.base.text ? null : next)
  return {
    text,
    base,
    kept,
    read,
    settled: readable === text,
    dirty: draft !== null,
    change: changed => keep({ text: changed, base }),
    settle: () => setWritten(text),
    write: value => {
      const changed = draftText(value)
      setWritten(changed)
      keep({ text: changed, base })
    },
    begin: (fresh = inForce.text) => keep({ text: fresh, base: inForce }),
    drop: () => put(null),
    rebase: () => keep({ text, base: inForce }),
  }
}
