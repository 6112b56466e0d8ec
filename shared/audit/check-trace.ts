import { decodeBase64 } from '../canon/base64.ts'
import { canonicalJson } from '../canon/canonical-json.ts'
import { hex, prefixedHex } from '../canon/digest.ts'
import { parseStrictJson } from '../canon/strict-json.ts'
import { type AuditEvent, actionEventKindSchema, auditEventSchema } from '../contract/audit.ts'
import { issuesOf } from '../contract/issues.ts'
import type { JsonValue } from '../contract/json.ts'
import { eventText, leafHash, payloadCommit } from './entry.ts'
import { merkleRoot } from './merkle.ts'

/** One event of an export (audit definitions section 4); salt and payload are both null once they are erased. */
export interface ExportedEvent {
  event: string
  salt: string | null
  payload: JsonValue | null
}

/** The root and the leaf hashes as `sha256:<hex>`; or the first problem and the place of the event it is in. */
export type TraceCheck =
  | { ok: true; root: string; leafHashes: string[] }
  | { ok: false; problem: string; sequence: number }

/**
 * Recomputes an action's trace from what an export says: the form of each event, its place, its link to the one before,
 * its commitment to the payload, and the root. The service asks this of its own export before that leaves.
 */
export function checkTrace(events: readonly ExportedEvent[], tenantId: string, actionId: string): TraceCheck {
  const leaves: Buffer[] = []
  for (const [sequence, exported] of events.entries()) {
    const place = { tenantId, stream: `action/${actionId}`, sequence, prior: leaves.at(-1) }
    const problem = eventProblem(exported, place)
    if (problem !== null) return { ok: false, problem, sequence }
    leaves.push(leafHash(exported.event))
  }
  if (leaves.length === 0) return { ok: false, problem: 'the trace has no event', sequence: 0 }
  return { ok: true, root: prefixedHex(merkleRoot(leaves)), leafHashes: leaves.map(prefixedHex) }
}

interface Place {
  tenantId: string
  stream: string
  sequence: number
  prior: Buffer | undefined
}

function eventProblem(exported: ExportedEvent, place: Place): string | null {
  const parsed = parseStrictJson(Buffer.from(exported.event))
  if (!parsed.ok) return `the event is not strict JSON: ${parsed.issue.message}`
  const event = auditEventSchema.safeParse(parsed.value)
  if (!event.success)
    return issuesOf(event.error)
      .map(issue => `${issue.path}: ${issue.message}`)
      .join('; ')
  if (eventText(event.data) !== exported.event) return 'the event is not in canonical form'
  return placeProblem(event.data, place) ?? payloadProblem(event.data, exported)
}

function placeProblem(event: AuditEvent, place: Place): string | null {
  if (event.tenant_id !== place.tenantId) return 'the event is of another tenant'
  if (event.stream !== place.stream) return 'the event is of another stream'
  if (event.sequence !== place.sequence) return `the event says it is number ${event.sequence}`
  if (!actionEventKindSchema.safeParse(event.kind).success)
    return `no action has an event of kind ${event.kind}`
  const prev = place.prior === undefined ? null : hex(place.prior)
  return event.prev === prev ? null : 'prev is not the leaf hash of the event before'
}

function payloadProblem(event: AuditEvent, { salt, payload }: ExportedEvent): string | null {
  if (salt === null) return payload === null ? null : 'the payload has no salt'
  const key = decodeBase64(salt)
  if (key?.length !== 32) return 'the salt is not 32 bytes in base64'
  return payloadCommit(key, canonicalJson(payload)) === event.payload_commit
    ? null
    : 'the payload is not the one the event commits to'
}
