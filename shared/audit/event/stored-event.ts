import { hex } from '../../canon/digest.ts'
import {
  type AuditEvent,
  actionEventKindSchema,
  configEventKindSchema,
  eventKindSchema,
  principalSchema,
} from '../../contract/action/audit.ts'
import { leafHash } from './audit-bytes.ts'
import { parseEvent } from './check-trace.ts'

export interface StoredEvent {
  text: string | Uint8Array
  kind: string
  leaf: string
}

export interface StoredPlace {
  tenantId: string
  stream: string
  sequence: number
  prev: string | null
}

export interface CheckedEvent {
  leafHash: Buffer
  leaf: string
  payloadCommit: string | null
  problem: string | null
}

/**
 * Checks the canonical text of an event, its position, its link to the previous event, and its columns. A database
 * has very many events, so text in the service's own form is read by one regular expression. Any other text is
 * parsed as strictly as an export.
 */
export function checkStoredEvent(stored: StoredEvent, place: StoredPlace): CheckedEvent {
  const hash = leafHash(stored.text)
  const leaf = hex(hash)
  const read = readEvent(stored.text)
  if (typeof read === 'string') return { leafHash: hash, leaf, payloadCommit: null, problem: read }
  const problem = placeProblem(read, place) ?? columnProblem(stored, read, leaf)
  return { leafHash: hash, leaf, payloadCommit: read.payload_commit, problem }
}

type Members = Pick<AuditEvent, 'kind' | 'payload_commit' | 'prev' | 'sequence' | 'stream' | 'tenant_id'>

function readEvent(text: string | Uint8Array): Members | string {
  if (typeof text !== 'string') return 'the event is not UTF-8 text'
  const found = plainEvent.exec(text)
  if (found === null) {
    const parsed = parseEvent(text)
    return parsed.ok ? parsed.value : parsed.error
  }
  const [, kind, payload_commit = '', prev, sequence, stream = '', tenant_id = ''] = found
  return {
    kind: kind as AuditEvent['kind'],
    payload_commit,
    prev: prev ?? null,
    sequence: Number(sequence),
    stream,
    tenant_id,
  }
}

function placeProblem(event: Members, { tenantId, stream, sequence, prev }: StoredPlace): string | null {
  if (event.tenant_id !== tenantId) return `the event is of the tenant ${event.tenant_id}`
  if (event.stream !== stream) return `the event is of the stream ${event.stream}`
  if (event.sequence !== sequence) return `the event says it is number ${event.sequence}`
  if (!(stream === 'config' ? configKinds : actionKinds).has(event.kind))
    return `the stream has no event of kind ${event.kind}`
  return event.prev === prev ? null : 'prev is not the leaf hash of the event before'
}

function columnProblem(stored: StoredEvent, event: Members, leaf: string): string | null {
  if (stored.leaf !== leaf) return 'the stored leaf hash is not that of the event'
  return stored.kind === event.kind ? null : `the row says ${stored.kind}, and the event ${event.kind}`
}

const actionKinds: ReadonlySet<string> = new Set(actionEventKindSchema.options)
const configKinds: ReadonlySet<string> = new Set(configEventKindSchema.options)

const digest = '[0-9a-f]{64}'
const characters = '[ !#-[\\]-~]+'
const oneOf = (names: readonly string[]): string => `(?:${names.join('|')})`
const time = '\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z'
const { kind: principalKind } = principalSchema.shape

/** Matches the RFC 8785 form of an event without escapes, so that most events need no JSON parser. */
const plainEvent = new RegExp(
  `^\\{"at":"${time}","kind":"(${oneOf(eventKindSchema.options)})","payload_commit":"(${digest})",` +
    `"prev":(?:null|"(${digest})"),"principal":\\{"id":"${characters}","kind":"${oneOf(principalKind.options)}"\\},` +
    `"sequence":(0|[1-9]\\d{0,14}),"stream":"(config|action/${characters})","tenant_id":"(${characters})","v":1\\}$`,
)
