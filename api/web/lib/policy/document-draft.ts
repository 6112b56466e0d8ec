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
  /** False if the browser has no room to keep the draft over a reload. */
  kept: boolean
  /** The parsed draft: the last value that a form wrote, or the text at the last pause in typing. */
  read: ReadDraft
  /** True if `read` reflects the current text. */
  settled: boolean
  change(text: string): void
  /** Parses the text at once, because a form may need it as soon as the person leaves the editor. */
  settle(): void
  /** Writes a form's value and parses it at once, since the form builds its next change from it. */
  write(value: object): void
  /** Restarts from the revision in force, or from another text as a change of that revision. */
  begin(text?: string): void
  drop(): void
  /** Keeps the text as a change of the revision that is in force now. */
  rebase(): void
}

const restMs = 300

/**
 * Returns the draft of an application's document, starting from the revision in force; it lasts until it is saved
 * or dropped.
 */
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
