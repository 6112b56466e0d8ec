import { canonicalJson } from '../../canon/canonical-json.ts'
import { hex } from '../../canon/digest.ts'
import type { EventKind, Principal } from '../../contract/action/audit.ts'
import type { JsonValue } from '../../contract/base/json.ts'
import { merkleRoot } from '../merkle/merkle.ts'
import { eventText, leafHash, payloadCommit } from './audit-bytes.ts'

/** Entries that are appended to one stream together; `priorLeaves` are all leaves of the stream so far. */
export interface SealInput {
  tenantId: string
  stream: string
  /** UTC with three fraction digits, from the database clock. */
  at: string
  priorLeaves: readonly Buffer[]
  entries: readonly EntryToSeal[]
}

export interface EntryToSeal {
  kind: EventKind
  principal: Principal
  payload: JsonValue
  payload_text?: string | undefined
  /** 32 random bytes, new for each entry. Without them a payload could be guessed from its commitment. */
  salt: Uint8Array
}

export interface SealedEvent {
  sequence: number
  kind: EventKind
  /** The canonical text of the event. These bytes are stored, hashed and exported. */
  text: string
  leafHash: Buffer
  payloadText: string
  salt: Uint8Array
}

/** The end of a stream to which entries are appended: its number of events and the leaf of its last event. */
export interface StreamEnd extends Omit<SealInput, 'priorLeaves'> {
  count: number
  lastLeaf: Buffer | null
}

export function sealEntries(input: SealInput): { events: SealedEvent[]; root: Buffer; leaves: Buffer[] } {
  const { priorLeaves, ...end } = input
  const events = sealStream({ count: priorLeaves.length, lastLeaf: priorLeaves.at(-1) ?? null, ...end })
  const leaves = [...priorLeaves, ...events.map(({ leafHash }) => leafHash)]
  return { events, root: merkleRoot(leaves), leaves }
}

/** Seals entries as the next events of a stream. It needs only the end of the stream, not its earlier leaves. */
export function sealStream(end: StreamEnd): SealedEvent[] {
  let { count, lastLeaf } = end
  return end.entries.map(entry => {
    const event = sealEntry(end, entry, { sequence: count, prev: lastLeaf })
    count += 1
    lastLeaf = event.leafHash
    return event
  })
}

function sealEntry(
  stream: Pick<StreamEnd, 'tenantId' | 'stream' | 'at'>,
  entry: EntryToSeal,
  place: { sequence: number; prev: Buffer | null },
): SealedEvent {
  const { kind, principal, salt } = entry
  const { sequence, prev } = place
  const payloadText = entry.payload_text ?? canonicalJson(entry.payload)
  const text = eventText({
    v: 1,
    tenant_id: stream.tenantId,
    stream: stream.stream,
    sequence,
    kind,
    at: stream.at,
    principal,
    payload_commit: payloadCommit(salt, payloadText),
    prev: prev === null ? null : hex(prev),
  })
  return { sequence, kind, text, leafHash: leafHash(text), payloadText, salt }
}
