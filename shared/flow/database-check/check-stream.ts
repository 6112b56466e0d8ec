import { payloadCommit } from '../../audit/event/audit-bytes.ts'
import { type CheckedEvent, checkStoredEvent } from '../../audit/event/stored-event.ts'
import type { WaitingEvents, WalkedEvent } from '../../store/log/audit-walk.ts'
import type { Counters } from './check-counters.ts'

export interface Stream {
  tenantId: string
  /** `action/<action_id>` or `config`. */
  name: string
  /** The sequence of the last erasure, before which payloads may be missing; 0 without an erasure. */
  erasedBefore: number
  waiting: readonly WaitingEvents[]
}

export interface CheckedPart {
  /** The leaves of the events in order, up to the first fault. */
  leaves: Buffer[]
  hexLeaves: string[]
  problem: string | null
}

/** Checks that events follow one another from `first` on, beginning after the leaf `prev`. */
export function checkPart(
  stream: Stream,
  events: readonly WalkedEvent[],
  start: { first: number; prev: string | null },
  tally: Counters,
): CheckedPart {
  const leaves: Buffer[] = []
  const hexLeaves: string[] = []
  let { prev } = start
  for (const event of events) {
    const sequence = start.first + leaves.length
    const checked = checkStoredEvent(event, {
      tenantId: stream.tenantId,
      stream: stream.name,
      sequence,
      prev,
    })
    const problem =
      rowProblem(stream, event, sequence) ?? checked.problem ?? payloadProblem(stream, event, checked)
    if (problem !== null) return { leaves, hexLeaves, problem: `event ${sequence}: ${problem}` }
    tally.counted[event.payload === null ? 'erased' : 'payloads'] += 1
    leaves.push(checked.leafHash)
    hexLeaves.push(checked.leaf)
    prev = checked.leaf
  }
  return { leaves, hexLeaves, problem: null }
}

function rowProblem(
  { tenantId, name, waiting }: Stream,
  event: WalkedEvent,
  sequence: number,
): string | null {
  if (event.sequence !== sequence)
    return event.sequence > sequence ? 'it is missing' : `number ${event.sequence} stands in its place`
  if (event.tenant_id !== tenantId) return `the row is of the tenant ${event.tenant_id}`
  const waits = waiting.some(
    ({ tenant_id, stream, first_sequence, event_count }) =>
      tenant_id === tenantId &&
      stream === name &&
      first_sequence <= sequence &&
      sequence < first_sequence + event_count,
  )
  if (event.logged === waits)
    return waits ? 'it is in the log and waits for it too' : 'an event with neither log row nor outbox row'
  return null
}

function payloadProblem(
  stream: Stream,
  { sequence, payload, salt }: WalkedEvent,
  checked: CheckedEvent,
): string | null {
  if (payload === null)
    return sequence < stream.erasedBefore ? null : 'its payload is gone, and no erasure says so'
  if (typeof payload !== 'string') return 'its payload is not UTF-8 text'
  if (salt?.length !== saltDigits) return 'the salt of its payload has not 32 bytes'
  return payloadCommit(Buffer.from(salt, 'hex'), payload) === checked.payloadCommit
    ? null
    : 'its payload is not the one that it commits to'
}

const saltDigits = 64
