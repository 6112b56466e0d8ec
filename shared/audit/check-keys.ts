import type { AuditExport } from '../contract/action.ts'
import { ok, type Result, refused } from '../result.ts'
import { openCheckpoint, type SignedCheckpoint } from './checkpoint.ts'
import { type LogSizes, sizesIn, type TrustedKey } from './trusted-keys.ts'
import { type Finding, failed, notProven, type OpenedExport, proven } from './verification.ts'

/** The signed notes of an export, opened; null where there is none. */
export type OpenedNotes = Pick<OpenedExport, 'statement' | 'checkpoint' | 'older'>

/** Opens every note by keys that are trusted; otherwise says which does not open, and why. */
export function openNotes(
  { statement, log }: AuditExport,
  trusted: readonly TrustedKey[],
  olderCheckpoint: string | Uint8Array | undefined,
): Result<OpenedNotes, string> {
  const notes = {
    statement: openOne('the statement', statement, trusted),
    checkpoint: openOne('the checkpoint', 'checkpoint' in log ? log.checkpoint : null, trusted),
    older: openOne('the older checkpoint', olderCheckpoint ?? null, trusted),
  }
  if (!notes.statement.ok) return notes.statement
  if (!notes.checkpoint.ok) return notes.checkpoint
  if (!notes.older.ok) return notes.older
  return ok({
    statement: notes.statement.value,
    checkpoint: notes.checkpoint.value,
    older: notes.older.value,
  })
}

/** What the signatures come to once all notes have been opened. */
export function checkKeys(opened: OpenedExport, trusted: readonly TrustedKey[]): Finding {
  const { exported, statement, checkpoint, older } = opened
  const ranges = [checkpoint, older].flatMap(note => (note && checkRange(note, trusted)) ?? [])
  const outside = ranges.find(({ status }) => status === 'failed')
  if (outside !== undefined) return outside
  const isMarkedSigned = exported.integrity_version === 'canonical-signed-v1'
  if (statement === null)
    return notProven(isMarkedSigned ? 'the statement is still to be signed' : 'the record was never signed')
  if (!isMarkedSigned) return failed('the record is marked unsigned, and has a signed statement')
  const [unknown] = ranges
  if (unknown !== undefined) return unknown
  const signers = [...statement.signers, ...(checkpoint?.signers ?? [])].map(({ name }) => name)
  return proven(`signed by ${[...new Set(signers)].join(', ')}, whose key is trusted`)
}

function openOne(
  what: string,
  note: string | Uint8Array | null,
  trusted: readonly TrustedKey[],
): Result<SignedCheckpoint | null, string> {
  if (note === null) return ok(null)
  const opened = openCheckpoint(note, trusted)
  return opened.ok ? opened : refused(`${what}: ${opened.error}`)
}

/**
 * A key vouches for logs of the sizes that it is known to have signed; a stolen old one for nothing newer. What is wrong
 * with a checkpoint by that, or is left open since the lists that were given speak of other logs; null where nothing is.
 */
export function checkRange(
  { origin, size, signers }: SignedCheckpoint,
  trusted: readonly TrustedKey[],
): Finding | null {
  const ranges = signers.map(key => ({ name: key.name, sizes: sizesIn(origin, key, trusted) }))
  for (const { name, sizes } of ranges) {
    if (sizes === null || (sizes.first <= size && size <= (sizes.last ?? size))) continue
    return failed(`the key ${name} signs ${describe(sizes)}, and not of ${size}`)
  }
  if (ranges.some(({ sizes }) => sizes !== null)) return null
  const names = [...new Set(ranges.map(({ name }) => name))].join(', ')
  return notProven(
    `${names} signed ${origin} with a key that has ended, and no list that was given tells up to which size: see /v1/audit/keys?origin=…`,
  )
}

function describe({ first, last }: LogSizes): string {
  if (last !== null && last < first) return 'no size of this log'
  return `logs of size ${first} to ${last ?? 'any'}`
}
