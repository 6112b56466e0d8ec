import { canonicalJson } from '../../canon/canonical-json.ts'
import { hex, prefixedHex } from '../../canon/digest.ts'
import { decodeBase64 } from '../../canon/spelling.ts'
import { parseStrictJson } from '../../canon/strict-json.ts'
import { type AuditEvent, actionEventKindSchema, auditEventSchema } from '../../contract/action/audit.ts'
import { issuesOf } from '../../contract/base/errors.ts'
import type { JsonValue } from '../../contract/base/json.ts'
import { ok, type Result, refused } from '../../result.ts'
import { merkleRoot } from '../merkle/merkle.ts'
import { eventText, leafHash, payloadCommit } from './audit-bytes.ts'

/** One event of an export (specification.md#audit-export). Salt and payload are both null after erasure. */
export interface ExportedEvent {
  event: string
  salt: string | null
  payload: JsonValue | null
}

/** The root and the leaf hashes as `sha256:<hex>`, or the first problem and the number of its event. */
export type TraceCheck =
  | { ok: true; root: string; leafHashes: string[] }
  | { ok: false; problem: string; sequence: number }

/**
 * Recomputes an action's trace from an export. It checks the form and position of each event, its link to the
 * previous event and its commitment to the payload, and then the root. The service runs this check on each export
 * before it sends the export.
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

function eventProblem(exported: ExportedEvent, place: EventPlace): string | null {
  const event = parseEvent(exported.event)
  if (!event.ok) return event.error
  return placeProblem(event.value, place) ?? payloadProblem(event.value, exported)
}

/** Parses an event strictly: JSON with exactly the members of an event, written in RFC 8785 form. */
export function parseEvent(text: string): Result<AuditEvent, string> {
  const parsed = parseStrictJson(Buffer.from(text))
  if (!parsed.ok) return refused(`the event is not strict JSON: ${parsed.issue.message}`)
  const event = auditEventSchema.safeParse(parsed.value)
  if (!event.success) {
    const issues = issuesOf(event.error).map(({ path, message }) => `${path}: ${message}`)
    return refused(issues.join('; '))
  }
  return eventText(event.data) === text ? ok(event.data) : refused('the event is not in canonical form')
}

export interface EventPlace {
  tenantId: string
  stream: string
  sequence: number
  prior: Uint8Array | undefined
}

export function placeProblem(event: AuditEvent, place: EventPlace): string | null {
  if (event.tenant_id !== place.tenantId) return 'the event is of another tenant'
  if (event.stream !== place.stream) return 'the event is of another stream'
  if (event.sequence !== place.sequence) return `the event says it is number ${event.sequence}`
  if (!actionEventKindSchema.safeParse(event.kind).success)
    return `no action has an event of kind ${event.kind}`
  const prev = place.prior === undefined ? null : hex(place.prior)
  return event.prev === prev ? null : 'prev is not the leaf hash of the event before'
}

/** Returns the problem with a payload, or null. An erased payload is no problem. */
export function payloadProblem(
  event: AuditEvent,
  { salt, payload }: Pick<ExportedEvent, 'salt' | 'payload'>,
): string | null {
  if (salt === null) return payload === null ? null : 'the payload has no salt'
  const key = decodeBase64(salt)
  if (key?.length !== 32) return 'the salt is not 32 bytes in base64'
  return payloadCommit(key, canonicalJson(payload)) === event.payload_commit
    ? null
    : 'the payload is not the one the event commits to'
}
