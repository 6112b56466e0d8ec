import { useMemo, useState } from 'react'
import { type Draft, useStoredDraft } from '../drafts.ts'
import { useRested } from '../rested.ts'
import { useSession } from '../session/session.ts'
import { draftText, type ReadDraft, readDraft } from './read-draft.ts'

/** A document as it is in force: its number and its text, as people edit it. */
export interface InForce {
  revision: number
  text: string
}

export interface DocumentDraft {
  text: string
  base: InForce
  dirty: boolean
  /** False where the browser has no room to keep it over a reload. */
  kept: boolean
  /** The draft as a value: as a form wrote it last, or as it was when typing rested or ended. */
  read: ReadDraft
  /** Whether `read` is the text as it is now. */
  settled: boolean
  /** The text as somebody types it. */
  change(text: string): void
  /** Somebody leaves the text, maybe for a form beside it: it is read at once. */
  settle(): void
  /** A value that a form made. It is read at once, since the next change of the form is made of it. */
  write(value: object): void
  /** Begin again from what is in force, or with another text as a change of it. */
  begin(text?: string): void
  /** It was saved: nothing is left of it. */
  drop(): void
  /** Keep the text, as a change of what is in force now. */
  rebase(): void
}

const restMs = 300

/** The draft of a document of an application, beginning with what is in force; it is kept until it is saved or dropped. */
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
