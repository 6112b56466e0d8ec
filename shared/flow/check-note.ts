import { type Checkpoint, parseCheckpoint } from '../audit/checkpoint.ts'
import { openNote, parseNote } from '../audit/signed-note.ts'
import type { VerifierKey } from '../audit/verifier-key.ts'
import { ok, type Result, refused } from '../result.ts'

/** A checkpoint or statement as it is stored, with the names of those who signed it. */
export interface ReadNote extends Checkpoint {
  /** Signed by a key that is trusted, and by none that fails. */
  proven: boolean
  signers: string[]
}

/**
 * Reads a stored note; otherwise says what is wrong. One by keys that were not given is read too, since what it says can
 * still be compared: it proves nothing.
 */
export function readNote(note: string, trusted: readonly VerifierKey[]): Result<ReadNote, string> {
  const opened = openNote(note, trusted)
  if (opened.ok) {
    const signers = opened.value.verified.filter(({ at }) => at === null).map(({ key }) => key.name)
    if (signers.length > 0) return asCheckpoint(opened.value.text, { proven: true, signers })
  } else if (opened.error.code !== 'unverified') return refused(opened.error.message)
  const parsed = parseNote(note)
  if (!parsed.ok) return refused(parsed.error.message)
  const signers = parsed.value.signatures.map(({ name }) => name)
  return asCheckpoint(parsed.value.text, { proven: false, signers })
}

/** What a note should say of a tree; `originOf` gives the origin under the name of a signer. */
export interface Claimed {
  originOf(name: string): string
  size: number
  root: Buffer
}

/** What a note says that is not so, or null. */
export function noteProblem(note: ReadNote, { originOf, size, root }: Claimed): string | null {
  if (!note.signers.some(name => originOf(name) === note.origin)) return `it is about ${note.origin}`
  if (note.size !== size) return `it is about ${note.size} leaves`
  return note.root.equals(root)
    ? null
    : `it gives the root ${note.root.toString('base64')}, and the database ${root.toString('base64')}`
}

function asCheckpoint(text: string, signed: Pick<ReadNote, 'proven' | 'signers'>): Result<ReadNote, string> {
  const checkpoint = parseCheckpoint(text)
  return checkpoint.ok ? ok({ ...checkpoint.value, ...signed }) : checkpoint
}
