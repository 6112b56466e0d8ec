import { createHash } from 'node:crypto'
import canonicalize from 'canonicalize'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { eventText, payloadCommit } from '../../../shared/audit/event/audit-bytes.ts'
import { type AuditEvent, auditEventSchema, eventKindSchema } from '../../../shared/contract/action/audit.ts'

const text = fc.string({ unit: 'binary', minLength: 1, maxLength: 20 })
const digest = fc.stringMatching(/^[0-9a-f]{64}$/)
const event: fc.Arbitrary<AuditEvent> = fc.record({
  v: fc.constant(1),
  tenant_id: text,
  stream: fc.oneof(
    fc.constant('config'),
    text.map(id => `action/${id}`),
  ),
  sequence: fc.nat(),
  kind: fc.constantFrom(...eventKindSchema.options),
  at: fc.constant('2026-11-04T12:00:00.000Z'),
  principal: fc.record({ id: text, kind: fc.constantFrom('agent', 'approver', 'gate', 'worker') }),
  payload_commit: digest,
  prev: fc.option(digest),
})

describe('eventText', () => {
  it('is the canonical text of the event', () => {
    fc.assert(
      fc.property(event, fields => {
        expect(eventText(fields)).toBe(canonicalize(fields))
      }),
    )
  })

  it('holds the nine members and no others', () => {
    fc.assert(
      fc.property(event, fields => {
        const more = { ...fields, note: 'x', principal: { ...fields.principal, name: 'x' } }
        expect(eventText(more)).toBe(eventText(fields))
        expect(Object.keys(JSON.parse(eventText(fields)))).toEqual([
          'at',
          'kind',
          'payload_commit',
          'prev',
          'principal',
          'sequence',
          'stream',
          'tenant_id',
          'v',
        ])
      }),
    )
  })
})

describe('payloadCommit', () => {
  it('is HMAC-SHA-256 as RFC 2104 defines it', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), text, (salt, payload) => {
        expect(payloadCommit(salt, payload)).toBe(hmacByDefinition(salt, `ags-payload/v1\n${payload}`))
      }),
    )
  })

  it('refuses a salt that is not 32 bytes', () => {
    expect(() => payloadCommit(Buffer.alloc(16), '{}')).toThrow(RangeError)
  })
})

describe('auditEventSchema', () => {
  const [sample] = fc.sample(event, { numRuns: 1, seed: 7 }) as [AuditEvent]

  it('admits every event', () => {
    fc.assert(
      fc.property(event, fields => {
        expect(auditEventSchema.parse(fields)).toEqual(fields)
      }),
    )
  })

  it.each<[string, object]>([
    ['another version', { v: 2 }],
    ['a further member', { note: 'x' }],
    ['an unknown kind', { kind: 'note' }],
    ['an unknown kind of principal', { principal: { id: 'x', kind: 'robot' } }],
    ['a time without milliseconds', { at: '2026-11-04T12:00:00Z' }],
    ['a time in another zone', { at: '2026-11-04T12:00:00.000+01:00' }],
    ['a negative sequence', { sequence: -1 }],
    ['a digest in upper case', { prev: 'A'.repeat(64) }],
    ['a stream of another name', { stream: 'tenant/x' }],
    ['an action without an id', { stream: 'action/' }],
  ])('refuses %s', (_, change) => {
    expect(auditEventSchema.safeParse({ ...sample, ...change }).success).toBe(false)
  })

  it.each(Object.keys(sample))('refuses an event without %s', member => {
    const { [member as keyof AuditEvent]: _, ...rest } = sample
    expect(auditEventSchema.safeParse(rest).success).toBe(false)
  })
})

function hmacByDefinition(salt: Uint8Array, message: string): string {
  const block = Buffer.concat([salt, Buffer.alloc(32)])
  const inner = createHash('sha256')
    .update(block.map(byte => byte ^ 0x36))
    .update(message)
    .digest()
  return createHash('sha256')
    .update(block.map(byte => byte ^ 0x5c))
    .update(inner)
    .digest('hex')
}
