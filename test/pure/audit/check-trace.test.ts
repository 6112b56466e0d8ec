import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { eventText } from '../../../shared/audit/event/audit-bytes.ts'
import { checkTrace, type ExportedEvent } from '../../../shared/audit/event/check-trace.ts'
import { type EntryToSeal, sealEntries } from '../../../shared/audit/event/seal.ts'
import type { AuditEvent } from '../../../shared/contract/action/audit.ts'
import type { JsonValue } from '../../../shared/contract/base/json.ts'

const stream = { tenantId: 'demo', stream: 'action/act_1', at: '2026-11-04T12:00:00.000Z' }
const entries: EntryToSeal[] = (
  ['proposal_received', 'verdict', 'approval', 'execution_attempt', 'execution'] as const
).map((kind, n) => ({
  kind,
  principal: { id: `p${n}`, kind: 'agent' },
  payload: { n, note: 'é"\\' },
  salt: Buffer.alloc(32, n),
}))
const sealed = sealEntries({ ...stream, priorLeaves: [], entries })

describe('an honest trace', () => {
  it('has the root and the leaves with which it was sealed', () => {
    expect(checkTrace(exported(), 'demo', 'act_1')).toEqual({
      ok: true,
      root: `sha256:${sealed.root.toString('hex')}`,
      leafHashes: sealed.leaves.map(leaf => `sha256:${leaf.toString('hex')}`),
    })
  })

  it('has them too when payloads were erased', () => {
    const erased = exported().map(({ event }) => ({ event, salt: null, payload: null }))
    expect(checkTrace(erased, 'demo', 'act_1')).toEqual(checkTrace(exported(), 'demo', 'act_1'))
  })

  it('may commit to the payload null', () => {
    const entry: EntryToSeal = { ...(entries[0] as EntryToSeal), payload: null }
    const { events } = sealEntries({ ...stream, priorLeaves: [], entries: [entry] })
    expect(checkTrace(events.map(exportOf), 'demo', 'act_1').ok).toBe(true)
  })
})

describe('a trace that was tampered with', () => {
  const cases: [string, (events: ExportedEvent[]) => ExportedEvent[], number, RegExp][] = [
    ['no events', () => [], 0, /no event/],
    ['the first event dropped', events => events.slice(1), 0, /number 1/],
    ['an event dropped', events => events.filter((_, n) => n !== 2), 2, /number 3/],
    ['two events exchanged', events => swap(events, 1, 2), 1, /number 2/],
    [
      'an event doubled',
      events => events.flatMap((event, n) => (n === 1 ? [event, event] : [event])),
      2,
      /number 1/,
    ],
    [
      'white space added',
      change(1, event => ({ event: event.event.replace(',', ', ') })),
      1,
      /canonical form/,
    ],
    [
      'a name doubled',
      change(1, event => ({ event: event.event.replace('{', '{"v":1,') })),
      1,
      /strict JSON/,
    ],
    ['a member added', edit(1, { note: 1 }), 1, /note/],
    ['another version', edit(1, { v: 2 }), 1, /v/],
    ['another tenant', edit(0, { tenant_id: 'other' }), 0, /another tenant/],
    ['another action', edit(3, { stream: 'action/act_2' }), 3, /another stream/],
    ['a kind of the stream config', edit(2, { kind: 'freeze' }), 2, /freeze/],
    ['prev of nothing', edit(2, { prev: null }), 2, /prev/],
    ['prev of another event', edit(2, { prev: 'a'.repeat(64) }), 2, /prev/],
    ['a first event with prev', edit(0, { prev: 'a'.repeat(64) }), 0, /prev/],
    ['another time, seen at the next event', edit(1, { at: '2026-11-04T12:00:00.001Z' }), 2, /prev/],
    ['another payload', change(1, () => ({ payload: { n: 2, note: 'é"\\' } })), 1, /commits to/],
    ['another salt', change(1, () => ({ salt: Buffer.alloc(32, 7).toString('base64') })), 1, /commits to/],
    ['a payload without its salt', change(1, () => ({ salt: null })), 1, /no salt/],
    ['a salt without its payload', change(1, () => ({ payload: null })), 1, /commits to/],
    ['a short salt', change(1, () => ({ salt: 'AAAA' })), 1, /32 bytes/],
    [
      'a salt in sloppy base64',
      change(1, event => ({ salt: event.salt?.replace('=', '') ?? '' })),
      1,
      /32 bytes/,
    ],
  ]

  it.each(cases)('%s', (_, tamper, sequence, problem) => {
    expect(checkTrace(tamper(exported()), 'demo', 'act_1')).toEqual({
      ok: false,
      sequence,
      problem: expect.stringMatching(problem),
    })
  })

  it('is not the trace of another tenant or action', () => {
    expect(checkTrace(exported(), 'other', 'act_1').ok).toBe(false)
    expect(checkTrace(exported(), 'demo', 'act_2').ok).toBe(false)
  })

  it('fails, or has another root, whichever character of an event is changed', () => {
    const honest = checkTrace(exported(), 'demo', 'act_1')
    fc.assert(
      fc.property(
        fc.nat(),
        fc.nat(),
        fc.string({ minLength: 1, maxLength: 1 }),
        (which, where, character) => {
          const events = exported()
          const target = events[which % events.length] as ExportedEvent
          const at = where % target.event.length
          fc.pre(target.event[at] !== character)
          target.event = target.event.slice(0, at) + character + target.event.slice(at + 1)
          const found = checkTrace(events, 'demo', 'act_1')
          expect(found).not.toEqual(honest)
          if (found.ok) expect(which % events.length).toBe(events.length - 1)
        },
      ),
      { numRuns: 500 },
    )
  })
})

function exported(): ExportedEvent[] {
  return sealed.events.map(exportOf)
}

function exportOf(event: { text: string; salt: Uint8Array; payloadText: string }): ExportedEvent {
  const payload: JsonValue = JSON.parse(event.payloadText)
  return { event: event.text, salt: Buffer.from(event.salt).toString('base64'), payload }
}

function change(place: number, difference: (event: ExportedEvent) => Partial<ExportedEvent>) {
  return (events: ExportedEvent[]) =>
    events.map((event, n) => (n === place ? { ...event, ...difference(event) } : event))
}

/** Changes members of an event and writes it in canonical form again, as whoever tampers would. */
function edit(place: number, members: Record<string, JsonValue>) {
  return change(place, ({ event }) => {
    const edited = { ...JSON.parse(event), ...members }
    const known = eventText(edited as AuditEvent)
    return {
      event: 'note' in members ? known.replace('"payload_commit"', '"note":1,"payload_commit"') : known,
    }
  })
}

function swap(events: ExportedEvent[], left: number, right: number): ExportedEvent[] {
  return events.map(
    (event, n) => (n === left ? events[right] : n === right ? events[left] : event) as ExportedEvent,
  )
}
