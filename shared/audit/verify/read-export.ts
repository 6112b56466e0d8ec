import { decodeBase64, misspelledAt } from '../../canon/spelling.ts'
import { parseStrictJson } from '../../canon/strict-json.ts'
import { decodeUtf8 } from '../../canon/utf8.ts'
import { type AuditExport, auditExportSchema } from '../../contract/action/action.ts'
import type { AuditEvent } from '../../contract/action/audit.ts'
import { issuesOf } from '../../contract/base/errors.ts'
import { ok, type Result, refused } from '../../result.ts'
import { leafHash } from '../event/audit-bytes.ts'
import { parseEvent } from '../event/check-trace.ts'
import { parseVkey } from '../note/verifier-key.ts'

/** The largest accepted file. It exceeds the export of any action, so a larger file is refused unparsed. */
export const exportBytesMax = 64 * 1024 * 1024

/**
 * The longest accepted list. No export has more events, log entries or keys, so a longer list is refused at once.
 */
export const exportItemsMax = 10_000

/** The longest accepted proof. No tree of up to 2^53-1 leaves has a longer one. */
const proofHashesMax = 128

export interface ReadExport {
  exported: AuditExport
  events: AuditEvent[]
  leaves: Buffer[]
}

/** Reads an export as strictly as specification.md#audit-verifier requires, or returns the first problem. */
export function readExport(bytes: Uint8Array): Result<ReadExport, string> {
  if (bytes.length > exportBytesMax) return refused(`the file is larger than ${exportBytesMax} bytes`)
  const parsed = parseStrictJson(bytes)
  if (!parsed.ok) {
    const { path, offset, message } = parsed.issue
    return refused(
      `the file is not strict JSON: ${message} (byte ${offset}${path === '' ? '' : `, ${path}`})`,
    )
  }
  const crowded = crowdedIn(parsed.value)
  if (crowded !== null) return refused(`the file is no audit export: ${crowded}`)
  const shape = auditExportSchema.safeParse(parsed.value)
  if (!shape.success) {
    const [first] = issuesOf(shape.error)
    return refused(`the file is no audit export: ${first?.path || 'the whole'} ${first?.message}`)
  }
  const exported = shape.data
  const isLegacy = exported.integrity_version === 'legacy-v0'
  const events = isLegacy ? ok([]) : readEvents(exported)
  if (!events.ok) return events
  const problem = spellingProblem(bytes) ?? hashProblem(exported) ?? hintProblem(exported)
  if (problem !== null) return refused(problem)
  if (isLegacy) return ok({ exported, events: [], leaves: [] })
  return ok({ exported, events: events.value, leaves: exported.events.map(({ event }) => leafHash(event)) })
}

/** Decodes the hashes of a proof. Returns null unless each hash is 32 bytes in canonical base64. */
export function decodeHashes(texts: readonly string[]): Buffer[] | null {
  const hashes: Buffer[] = []
  for (const text of texts) {
    const hash = decodeBase64(text)
    if (hash?.length !== 32) return null
    hashes.push(hash)
  }
  return hashes
}

function crowdedIn(file: unknown): string | null {
  const log = memberOf(file, 'log')
  const entries = memberOf(log, 'entries')
  const lists: [string, unknown, number][] = [
    ['events', memberOf(file, 'events'), exportItemsMax],
    ['keys', memberOf(file, 'keys'), exportItemsMax],
    ['log.entries', entries, exportItemsMax],
    ['consistency.proof', memberOf(memberOf(file, 'consistency'), 'proof'), proofHashesMax],
  ]
  const proofs = Array.isArray(entries) ? entries.slice(0, exportItemsMax) : []
  for (const entry of proofs) lists.push(['the proof of an entry', memberOf(entry, 'proof'), proofHashesMax])
  for (const [name, list, max] of lists)
    if (Array.isArray(list) && list.length > max) return `${name} has more than ${max} items`
  return null
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}

function readEvents({ events }: AuditExport): Result<AuditEvent[], string> {
  if (events.length === 0) return refused('the file has no event')
  const read: AuditEvent[] = []
  for (const [place, { event: text }] of events.entries()) {
    const event = parseEvent(text)
    if (!event.ok) return refused(`event ${place}: ${event.error}`)
    read.push(event.value)
  }
  return ok(read)
}

/** Refuses strings and numbers outside RFC 8785 form, because each other form would have the same digest. */
function spellingProblem(bytes: Uint8Array): string | null {
  const at = misspelledAt(decodeUtf8(bytes) ?? '')
  return at === null
    ? null
    : `the file has a string or a number that RFC 8785 spells otherwise (character ${at})`
}

function hashProblem({ log, consistency }: AuditExport): string | null {
  const entries = 'entries' in log ? log.entries : []
  const wrong = entries.findIndex(({ proof }) => decodeHashes(proof) === null)
  if (wrong !== -1) return `log entry ${wrong}: a hash of its proof is not 32 bytes in canonical base64`
  if (consistency === undefined || decodeHashes(consistency.proof) !== null) return null
  return 'a hash of the consistency proof is not 32 bytes in canonical base64'
}

/** Checks that the keys in the file are well-formed. The verifier never trusts these keys. */
function hintProblem({ keys }: AuditExport): string | null {
  for (const [place, { vkey }] of keys.entries()) {
    const key = parseVkey(vkey)
    if (!key.ok) return `keys[${place}]: ${key.error}`
  }
  return null
}
