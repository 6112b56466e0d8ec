import { describe, expect, it } from 'vitest'
import { approvalsOf, readTrace } from '../../../shared/lifecycle/trace.ts'

const at = '2026-01-02T03:04:05.678Z'
const principal = { id: 'apk_1', kind: 'approver' } as const

function recorded(kind: string, payload: object | null, sequence = 0) {
  return {
    event: JSON.stringify({ sequence, kind, at, principal }),
    leaf: 'ab'.repeat(32),
    payload: payload === null ? null : JSON.stringify(payload),
  }
}

describe('the approvals so far', () => {
  it('say name, holder and note of each as they were recorded', () => {
    const counting = { kind: 'partial_approval', principal, at }
    const body = { name: 'Ann', holder: 'name:ann', note: 'fine' }
    const events = [
      { ...counting, body },
      { ...counting, body: { holder: 'name:bob' } },
    ]
    expect(approvalsOf({ approvals_required: 3 }, events)).toEqual({
      required: 3,
      given: 2,
      by: [
        { principal, at, ...body },
        { principal, at, name: null, holder: 'name:bob', note: null },
      ],
    })
  })
})

describe('reading a trace', () => {
  it('tells proposal, verdict and events', () => {
    const trace = readTrace([
      recorded('proposal_received', { proposal_id: 'p-1' }),
      recorded('verdict', { decision: 'deny' }, 1),
    ])
    expect(trace.proposal).toEqual({ proposal_id: 'p-1' })
    expect(trace.verdict).toEqual({ decision: 'deny' })
    expect(trace.events[1]).toEqual({
      sequence: 1,
      kind: 'verdict',
      at,
      principal,
      body: { decision: 'deny' },
      leaf_hash: `sha256:${'ab'.repeat(32)}`,
    })
    expect({ approval: trace.approval, execution: trace.execution }).toEqual({
      approval: null,
      execution: null,
    })
  })

  it.each([
    ['approval', 'approved'],
    ['rejection', 'rejected'],
    ['expiry', 'expired'],
    ['cancellation', 'cancelled'],
    ['supersession', 'superseded'],
  ])('a held action that ended by %s was %s', (kind, decision) => {
    const { approval } = readTrace([recorded('verdict', {}), recorded(kind, { note: 'why' }, 1)])
    expect(approval).toEqual({ decision, principal, note: 'why', at })
  })

  it('the last outcome is the one that counts', () => {
    const { execution } = readTrace([
      recorded('execution', { outcome: 'retry', attempt: 1, error: { code: 'busy', message: 'later' } }),
      recorded('execution', { outcome: 'ok', attempt: 2, result: { ok: true, detail: {} } }, 1),
    ])
    expect(execution).toEqual({
      outcome: 'ok',
      attempt: 2,
      result: { ok: true, detail: {} },
      error: null,
      at,
    })
  })

  it('an erased payload leaves its event', () => {
    const trace = readTrace([recorded('proposal_received', null), recorded('verdict', null, 1)])
    expect({ proposal: trace.proposal, verdict: trace.verdict }).toEqual({ proposal: null, verdict: null })
    expect(trace.events.map(({ body }) => body)).toEqual([null, null])
  })

  it('no payload can be taken for the fields of its event', () => {
    const [event] = readTrace([recorded('proposal_received', { kind: 'approval', sequence: 9 })]).events
    expect({ kind: event?.kind, sequence: event?.sequence }).toEqual({
      kind: 'proposal_received',
      sequence: 0,
    })
  })
})
