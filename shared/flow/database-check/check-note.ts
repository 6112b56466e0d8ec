import { type Checkpoint, parseCheckpoint } from '../../audit/note/checkpoint.ts'
import { openNote, parseNote } from '../../audit/note/signed-note.ts'
import { areCompromised, sizesIn, type TrustedKey } from '../../audit/note/trusted-keys.ts'
import type { VerifierKey } from '../../audit/note/verifier-key.ts'
import { ok, type Result, refused } from '../../result.ts'

/** A checkpoint or statement as it is stored, with the names of those who signed it. */
export interface ReadNote extends Checkpoint {
  /** Signed by a key that is trusted, and by none that fails. */
  proven: boolean
  /**
   * A trusted witness saw it, or one of these keys signs still, or signed this log up to there and further: a stolen old one
   * vouches for nothing newer, and one that is known to be stolen for nothing at all.
   */
  vouched: boolean
  signers: string[]
}

/**
 * Reads a stored note; otherwise says what is wrong. One by keys that were not given is read too, since what it says can
 * still be compared: it proves nothing.
 */
export function readNote(note: string, trusted: readonly TrustedKey[]): Result<ReadNote, string> {
  const opened = openNote(note, trusted)
  if (opened.ok) {
    const keys = opened.value.verified.filter(({ at }) => at === null).map(({ key }) => key)
    const checkpoint = parseCheckpoint(opened.value.text)
    if (!checkpoint.ok) return checkpoint
    const { origin, size } = checkpoint.value
    const witnessed = opened.value.verified.some(({ at }) => at !== null)
    const vouched =
      (witnessed || !areCompromised(keys, trusted)) && keys.some(key => size <= lastIn(origin, key, trusted))
    const signers = keys.map(({ name }) => name)
    if (keys.length > 0) return ok({ ...checkpoint.value, proven: true, vouched, signers })
  } else if (opened.error.code !== 'unverified') return refused(opened.error.message)
  const parsed = parseNote(note)
  if (!parsed.ok) return refused(parsed.error.message)
  const checkpoint = parseCheckpoint(parsed.value.text)
  if (!checkpoint.ok) return checkpoint
  const signers = parsed.value.signatures.map(({ name }) => name)
  return ok({ ...checkpoint.value, proven: false, vouched: false, signers })
}

/** The largest size of the log at which a note of it by that key says something. */
function lastIn(origin: string, key: VerifierKey, trusted: readonly TrustedKey[]): number {
  const sizes = sizesIn(origin, key, trusted)
  return sizes === null ? -1 : (sizes.last ?? Number.POSITIVE_INFINITY)
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
