import type { AuditExport } from '../../contract/action/action.ts'
import { ok, type Result, refused } from '../../result.ts'
import { openCheckpoint, type SignedCheckpoint } from '../note/checkpoint.ts'
import {
  areCompromised,
  describeKeys,
  type LogSizes,
  sizesIn,
  type TrustedKey,
} from '../note/trusted-keys.ts'
import { type Finding, failed, notProven, type OpenedExport, proven } from './verification.ts'

export type OpenedNotes = Pick<OpenedExport, 'statement' | 'checkpoint' | 'older'>

/** Opens every note with the trusted keys. If a note does not open, it names the note and the reason. */
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
  const notes = [statement, checkpoint, older].filter(note => note !== null)
  const signers = describeKeys(
    notes.flatMap(note => note.signers),
    trusted,
  )
  const [stolen] = [statement, checkpoint].filter(note => note && areCompromised(note.signers, trusted))
  if (!stolen) return proven(`signed by trusted keys: ${signers}`)
  const cover = coverOf(opened)
  return cover === null
    ? notProven(`only a compromised key signed ${stolen.origin}, and nothing else covers it: ${signers}`)
    : proven(`${cover}, so that nobody with the compromised key made it up later: ${signers}`)
}

/**
 * Returns the evidence for all events that no stolen key can forge, or null. Evidence is a witness's signature, or
 * a checkpoint that the auditor kept and that covers every event.
 */
function coverOf({ exported: { log }, checkpoint, older }: OpenedExport): string | null {
  const [witness] = checkpoint?.witnesses ?? []
  if (witness) return `the witness ${witness.name} saw the checkpoint`
  const places = 'entries' in log ? log.entries.map(({ index }) => index) : []
  const size = older?.size ?? 0
  const isKept = places.length > 0 && places.every(index => index < size)
  return isKept ? `the checkpoint of ${size} entries that was kept holds every event` : null
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
 * Checks that each key signed a log size within its known range, so that a stolen old key cannot vouch for a newer
 * log. Returns null on success. Returns `not proven` if the key lists cover only other logs.
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
