import { canonicalJson } from '../canon/canonical-json.ts'
import { hex } from '../canon/digest.ts'
import type { EventKind, Principal } from '../contract/audit.ts'
import type { JsonValue } from '../contract/json.ts'
import { eventText, leafHash, payloadCommit } from './entry.ts'
import { merkleRoot } from './merkle.ts'

/** What is to be appended to one stream at one moment; `priorLeaves` are all the leaves it has. */
export interface SealInput {
  tenantId: string
  /** `action/<action_id>` or `config`. */
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
  /** 32 random bytes of this entry alone. */
  salt: Uint8Array
}

export interface SealedEvent {
  sequence: number
  kind: EventKind
  /** The canonical text of the event: these bytes are stored, hashed and exported. */
  text: string
  leafHash: Buffer
  /** The canonical text of the payload: what the commitment in `text` stands for. */
  payloadText: string
  salt: Uint8Array
}

/** Turns entries into events that continue a stream, and gives the stream's leaves and root after them. */
export function sealEntries(input: SealInput): { events: SealedEvent[]; root: Buffer; leaves: Buffer[] } {
  const leaves = [...input.priorLeaves]
  const events = input.entries.map(entry => {
    const event = sealEntry(input, entry, leaves)
    leaves.push(event.leafHash)
    return event
  })
  return { events, root: merkleRoot(leaves), leaves }
}

function sealEntry(input: SealInput, entry: EntryToSeal, leaves: readonly Buffer[]): SealedEvent {
  const { kind, principal, salt } = entry
  const payloadText = canonicalJson(entry.payload)
  const prior = leaves.at(-1)
  const text = eventText({
    v: 1,
    tenant_id: input.tenantId,
    stream: input.stream,
    sequence: leaves.length,
    kind,
    at: input.at,
    principal,
    payload_commit: payloadCommit(salt, payloadText),
    prev: prior === undefined ? null : hex(prior),
  })
  return { sequence: leaves.length, kind, text, leafHash: leafHash(text), payloadText, salt }
}
