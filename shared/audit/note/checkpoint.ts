import { sha256 } from '../../canon/digest.ts'
import { decodeBase64, parseDecimal } from '../../canon/spelling.ts'
import { ok, type Result, refused } from '../../result.ts'
import { openNote } from './signed-note.ts'
import type { VerifierKey } from './verifier-key.ts'

export interface Checkpoint {
  origin: string
  size: number
  root: Buffer
}

/** A checkpoint or statement that a trusted key signed, with the witnesses that saw it and their times. */
export interface SignedCheckpoint extends Checkpoint {
  signers: VerifierKey[]
  witnesses: { name: string; at: number }[]
}

/**
 * Opens a note as a checkpoint or statement, or returns the problem. A signature of a witness alone is not enough.
 */
export function openCheckpoint(
  note: string | Uint8Array,
  trusted: readonly VerifierKey[],
): Result<SignedCheckpoint, string> {
  const opened = openNote(note, trusted)
  if (!opened.ok) return refused(opened.error.message)
  const { text, verified } = opened.value
  const signers = verified.filter(({ at }) => at === null).map(({ key }) => key)
  if (signers.length === 0) return refused('only witnesses signed it, and no trusted key of the log')
  const checkpoint = parseCheckpoint(text)
  if (!checkpoint.ok) return checkpoint
  const witnesses = verified.flatMap(({ key, at }) => (at === null ? [] : [{ name: key.name, at }]))
  return ok({ ...checkpoint.value, signers, witnesses })
}

/**
 * Formats a checkpoint: lines with origin, size and root (C2SP tlog-checkpoint). Throws a RangeError if the text
 * would not parse to the same values.
 */
export function formatCheckpoint({ origin, size, root }: Checkpoint): string {
  const text = `${origin}\n${size}\n${root.toString('base64')}\n`
  const read = parseCheckpoint(text)
  if (!read.ok || read.value.origin !== origin) throw new RangeError(`no checkpoint: ${text}`)
  return text
}

/** Parses the text of a note as a checkpoint or statement, or returns the problem. It refuses further lines. */
export function parseCheckpoint(text: string): Result<Checkpoint, string> {
  const [origin = '', sizeText = '', rootText = '', ...more] = text.replace(/\n$/, '').split('\n')
  if (!text.endsWith('\n') || rootText === '') return refused('it is not three lines: origin, size and root')
  if (more.length > 0) return refused('it has extension lines')
  if (origin === '') return refused('it has no origin')
  const size = parseDecimal(sizeText)
  if (size === null) return refused('its size is not a plain number of at most 2^53-1')
  const root = decodeBase64(rootText)
  if (root?.length !== 32) return refused('its root is not 32 bytes in canonical base64')
  if (size === 0 && !root.equals(sha256('')))
    return refused('its size is 0, and its root not that of nothing')
  return ok({ origin, size, root })
}

/**
 * Returns the origin of a statement about an action (specification.md#audit-bytes). `name` is the signer's name.
 */
export function statementOrigin(name: string, tenantId: string, actionId: string): string {
  return `${name}/action/${tenantId}/${actionId}`
}

/** Returns the origin of a tenant's log; `logId` reveals nothing about the tenant. */
export function logOrigin(name: string, logId: string): string {
  return `${name}/log/${logId}`
}
