import { describe, expect, it } from 'vitest'
import { eventText, leafHash } from '../../../shared/audit/event/audit-bytes.ts'
import { checkStoredEvent, type StoredEvent } from '../../../shared/audit/event/stored-event.ts'
import type { AuditEvent } from '../../../shared/contract/action/audit.ts'

const event: AuditEvent = {
  v: 1,
  tenant_id: 'acme',
  stream: 'action/act_1',
  sequence: 1,
  kind: 'verdict',
  at: '2026-11-21T09:00:00.000Z',
  principal: { id: 'gate', kind: 'gate' },
  payload_commit: 'ab'.repeat(32),
  prev: 'cd'.repeat(32),
}
const place = { tenantId: 'acme', stream: 'action/act_1', sequence: 1, prev: 'cd'.repeat(32) }

function stored(text: string | Uint8Array): StoredEvent {
  return { text, kind: 'verdict', leaf: leafHash(text).toString('hex') }
}

const problemOf = (text: string | Uint8Array, at = place) => checkStoredEvent(stored(text), at).problem

describe('an event that is right', () => {
  it.each([
    ['plain', {}],
    ['with a name that takes more than ASCII', { principal: { id: 'größe', kind: 'agent' } }],
    ['with a name that takes escapes', { principal: { id: 'a"\\\n', kind: 'agent' } }],
  ] as const)('%s: gives its leaf and what it commits to', (_, change) => {
    const text = eventText({ ...event, ...change })
    const leaf = leafHash(text)
    expect(checkStoredEvent(stored(text), place)).toEqual({
      leafHash: leaf,
      leaf: leaf.toString('hex'),
      payloadCommit: event.payload_commit,
      problem: null,
    })
  })

  it('is one of the configuration too, and the first of a stream', () => {
    const first = { ...event, stream: 'config', sequence: 0, kind: 'freeze', prev: null } as const
    const at = { tenantId: 'acme', stream: 'config', sequence: 0, prev: null }
    expect(checkStoredEvent({ ...stored(eventText(first)), kind: 'freeze' }, at).problem).toBeNull()
  })
})

describe('an event that is refused', () => {
  const text = eventText(event)

  it.each([
    ['not UTF-8', Buffer.from([...Buffer.from(text), 0xff]), 'the event is not UTF-8 text'],
    ['white space', text.replace(',"kind"', ', "kind"'), 'the event is not in canonical form'],
    ['another order', `{"v":1,${text.slice(1, -7)}}`, 'the event is not in canonical form'],
    [
      'an escape that none needs',
      text.replace('"gate",', '"g\\u0061te",'),
      'the event is not in canonical form',
    ],
    ['a member more', text.replace(',"v":1}', ',"v":1,"w":1}'), 'w: is not a known field'],
    ['another version', text.replace('"v":1}', '"v":2}'), /^v: /],
    ['a name twice', text.replace('"v":1}', '"v":1,"v":1}'), /^the event is not strict JSON/],
    ['an unknown kind', text.replace('"kind":"verdict"', '"kind":"verdikt"'), /^kind: /],
    ['an unknown principal', text.replace('"kind":"gate"', '"kind":"root"'), /^principal.kind: /],
    [
      'a number in another form',
      text.replace('"sequence":1,', '"sequence":1.0,'),
      'the event is not in canonical form',
    ],
    ['another place', eventText({ ...event, sequence: 2 }), 'the event says it is number 2'],
    ['another tenant', eventText({ ...event, tenant_id: 'acne' }), 'the event is of the tenant acne'],
    [
      'another stream',
      eventText({ ...event, stream: 'action/act_2' }),
      'the event is of the stream action/act_2',
    ],
    [
      'a kind of the configuration',
      eventText({ ...event, kind: 'freeze' }),
      'the stream has no event of kind freeze',
    ],
    [
      'another event before',
      eventText({ ...event, prev: null }),
      'prev is not the leaf hash of the event before',
    ],
  ])('%s', (_, changed, problem) => {
    const found = problemOf(changed)
    if (typeof problem === 'string') expect(found).toBe(problem)
    else expect(found).toMatch(problem)
  })

  it('a row that says another kind or another leaf', () => {
    expect(checkStoredEvent({ ...stored(text), kind: 'approval' }, place).problem).toBe(
      'the row says approval, and the event verdict',
    )
    expect(checkStoredEvent({ ...stored(text), leaf: 'ab'.repeat(32) }, place).problem).toBe(
      'the stored leaf hash is not that of the event',
    )
  })

  it('any byte of it changed', () => {
    const bytes = Buffer.from(text)
    for (let at = 0; at < bytes.length; at += 1) {
      const changed = Buffer.from(bytes)
      changed[at] = (changed[at] ?? 0) ^ 1
      const checked = checkStoredEvent({ ...stored(text), text: changed.toString('latin1') }, place)
      expect(checked.problem, `byte ${at}`).not.toBeNull()
    }
  })
})
