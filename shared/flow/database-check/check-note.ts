import { type Checkpoint, parseCheckpoint } from '../../audit/note/checkpoint.ts'
import { openNote, parseNote } from '../../audit/note/signed-note.ts'
import { areCompromised, sizesIn, type TrustedKey } from '../../audit/note/trusted-keys.ts'
import type { VerifierKey } from '../../audit/note/verifier-key.ts'
import { ok, type Result, refused } from '../../result.ts'

export interface ReadNote extends Checkpoint {
  /** True if a trusted key signed it; a note with a wrong signature by a trusted key is rejected as a whole. */
  proven: boolean
  /**
   * True if a trusted key signed it that still signs the log or signed it up to that size or further, so that a
   * stolen old key vouches for nothing newer. If all such keys are known as stolen, a trusted witness must have
   * signed it too.
   */
  vouched: boolean
  signers: string[]
}

/**
 * Parses a stored note or returns the fault. A note by unknown keys is parsed too: it proves nothing, but its
 * content can still be compared.
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

function lastIn(origin: string, key: VerifierKey, trusted: readonly TrustedKey[]): number {
  const sizes = sizesIn(origin, key, trusted)
  return sizes === null ? -1 : (sizes.last ?? Number.POSITIVE_INFINITY)
}

/** The expected content of a note about a tree; `originOf` maps a signer's name to an origin. */
export interface Claimed {
  originOf(name: string): string
  size: number
  root: Buffer
}

export function noteProblem(note: ReadNote, { originOf, size, root }: Claimed): string | null {
  if (!note.signers.some(name => originOf(name) === note.origin)) return `it is about ${note.origin}`
  if (note.size !== size) return `it is about ${note.size} leaves`
  return note.root.equals(root)
    ? null
    : `it gives the root ${note.root.toString('base64')}, and the database ${root.toString('base64')}`
}
