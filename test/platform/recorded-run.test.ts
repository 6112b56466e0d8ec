import { describe, expect, it } from 'vitest'
import type { ReadEvent } from '../support/audit/independent-audit.ts'
import type { LedgerCall } from '../support/fixtures/ledger-actuator-calls.ts'
import { type Recorded, strayCalls, violations } from './recorded-run.ts'

const call: LedgerCall = {
  actuator: 'ledger_plain',
  action_id: 'act_1',
  key: 'key',
  attempt: 2,
  performs: true,
  written_ahead: true,
  pid: 1,
  at: '2026-11-21T00:00:00.000Z',
}

describe('the judge of a run', () => {
  it('finds nothing in an action that was refused once and then executed', () => {
    expect(violations(honest())).toEqual([])
    expect(strayCalls([honest()], honest().calls)).toEqual([])
  })

  const crimes: [string, (action: Recorded) => unknown, RegExp][] = [
    ['another status', action => Object.assign(action, { status: 'execution_failed' }), /makes it/],
    ['an open job', action => Object.assign(action, { job_state: 'leased' }), /its job is done/],
    ['a second end', ({ events }) => events.push(...events.slice(-1)), /ends once/],
    ['no verdict', ({ events }) => events.splice(1, 1), /allowed or approved/],
    ['a verdict of an agent', ({ events }) => patch(events, 1, { principal: agent }), /allowed or approved/],
    ['an attempt left out', ({ events }) => events.splice(2, 2), /count from one/],
    ['a token twice', ({ events }) => patch(events, 4, { payload: attempt(2, 1) }), /tokens grow/],
    ['another key', ({ calls }) => patch(calls, 1, { key: 'other' }), /one idempotency key/],
    ['a call without its attempt', ({ calls }) => calls.push({ ...call, attempt: 3 }), /in the audit/],
    [
      'a call before its record',
      ({ calls }) => patch(calls, 1, { written_ahead: false }),
      /committed before/,
    ],
    ['an attempt called twice', ({ calls }) => calls.push(call), /called twice/],
    ['two effects', ({ calls }) => patch(calls, 0, { performs: true }), /at most one effect/],
    ['a call after the effect', ({ calls }) => calls.reverse(), /after its effect/],
    ['an effect of a denied one', action => Object.assign(action, { status: 'denied' }), /not touched/],
    ['no effect', ({ calls }) => calls.pop(), /it happened/],
    [
      'an effect that failed',
      action => Object.assign(action, { status: 'execution_failed' }),
      /nothing happened/,
    ],
  ]
  it.each(crimes)('sees %s', (_, commit, sentence) => {
    const action = honest()
    commit(action)
    expect(violations(action).join('\n')).toMatch(sentence)
  })

  it('sees calls of no action, and a key of two', () => {
    expect(strayCalls([], [call])).toEqual([call])
    const other = { ...call, action_id: 'act_2' }
    expect(strayCalls([honest(), { ...honest(), action_id: 'act_2' }], [call, other])).toEqual([call])
  })
})

const agent = { id: 'agk_1', kind: 'agent' }
const worker = { id: 'wrk_1', kind: 'worker' }
const attempt = (number: number, token: number) => ({ attempt: number, token, idempotency_key: 'key' })

function honest(): Recorded {
  const told: [string, ReadEvent['principal'], ReadEvent['payload']][] = [
    ['proposal_received', agent, {}],
    ['verdict', { id: 'gate', kind: 'gate' }, { decision: 'allow' }],
    ['execution_attempt', worker, attempt(1, 1)],
    ['execution', worker, { outcome: 'retry' }],
    ['execution_attempt', worker, attempt(2, 2)],
    ['execution', worker, { outcome: 'ok' }],
  ]
  return {
    action_id: 'act_1',
    proposal_id: 'p-1',
    status: 'executed',
    job_state: 'done',
    events: told.map(([kind, principal, payload]) => ({ kind, principal, payload, at: call.at })),
    calls: [{ ...call, attempt: 1, performs: false }, { ...call }],
  }
}

function patch<Item extends object>(items: Item[], place: number, changed: Partial<Item>): void {
  items.splice(place, 1, { ...(items[place] as Item), ...changed })
}
