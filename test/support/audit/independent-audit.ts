import { createHash, createHmac } from 'node:crypto'

/**
 * A second reading of the audit definitions, written from their text and sharing no code with the service: whoever
 * trusts neither can compare the two. It recomputes canonical JSON, leaves, links, commitments and the root.
 */

/** The parts of an audit export that a proof rests on. */
export interface ExportedAudit {
  tenant_id: string
  action_id: string
  events: { event: string; salt: string | null; payload: unknown }[]
  audit_root: string
}

/** The root as `sha256:<hex>`, and what the events say; throws at the first thing that does not hold. */
export function recomputeAudit(exported: ExportedAudit): { root: string; events: ReadEvent[] } {
  const { tenant_id, action_id } = exported
  const { leaves, events } = recomputeStream({ ...exported, tenant_id, stream: `action/${action_id}` })
  const root = `sha256:${merkleTreeHash(leaves).toString('hex')}`
  if (root !== exported.audit_root) throw new Error(`${action_id}: the root is ${root}`)
  return { root, events }
}

/** The leaves of a stream from its first event, and what the events say. */
export function recomputeStream(exported: Pick<ExportedAudit, 'tenant_id' | 'events'> & { stream: string }): {
  leaves: Buffer[]
  events: ReadEvent[]
} {
  const leaves: Buffer[] = []
  const events: ReadEvent[] = []
  for (const [place, { event: text, salt, payload }] of exported.events.entries()) {
    const event = JSON.parse(text) as EventMembers
    const claims: [holds: boolean, claim: string][] = [
      [canonical(event) === text, 'the text is canonical'],
      [Object.keys(event).join() === members, `the members are ${members}`],
      [event.v === 1, 'the version is 1'],
      [event.tenant_id === exported.tenant_id, 'the tenant is the one of the export'],
      [event.stream === exported.stream, 'the stream is the one that it is in'],
      [event.sequence === place, 'the sequence is the place'],
      [event.prev === (leaves.at(-1)?.toString('hex') ?? null), 'the link is the leaf before'],
      [Buffer.from(salt ?? '', 'base64').length === 32, 'the salt has 32 bytes'],
      [commitment(salt ?? '', payload) === event.payload_commit, 'the payload is the one committed to'],
    ]
    for (const [holds, claim] of claims) {
      if (!holds) throw new Error(`${exported.stream}, event ${place}: not so that ${claim}`)
    }
    leaves.push(sha256(Buffer.from([0]), Buffer.from(text)))
    const { kind, at, principal } = event
    events.push({ kind, at, principal, payload: payload as ReadEvent['payload'] })
  }
  return { leaves, events }
}

export interface ReadEvent {
  kind: string
  at: string
  principal: { id: string; kind: string }
  payload: Record<string, unknown>
}

interface EventMembers {
  at: string
  kind: string
  payload_commit: string
  prev: string | null
  principal: { id: string; kind: string }
  sequence: number
  stream: string
  tenant_id: string
  v: number
}

const members = 'at,kind,payload_commit,prev,principal,sequence,stream,tenant_id,v'

/** RFC 8785: names by their UTF-16 code units; numbers and strings as ECMAScript writes them. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const object = value as Record<string, unknown>
  const names = Object.keys(object).sort()
  return `{${names.map(name => `${JSON.stringify(name)}:${canonical(object[name])}`).join(',')}}`
}

/** RFC 6962 section 2.1, word for word: recursive, split at the largest power of two below the length. */
export function merkleTreeHash(leaves: readonly Buffer[]): Buffer {
  const [first] = leaves
  if (first === undefined) return sha256()
  if (leaves.length === 1) return first
  let split = 1
  while (split * 2 < leaves.length) split *= 2
  const left = merkleTreeHash(leaves.slice(0, split))
  return sha256(Buffer.from([1]), left, merkleTreeHash(leaves.slice(split)))
}

function commitment(salt: string, payload: unknown): string {
  const key = Buffer.from(salt, 'base64')
  return createHmac('sha256', key).update('ags-payload/v1\n').update(canonical(payload)).digest('hex')
}

function sha256(...parts: Buffer[]): Buffer {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest()
}
