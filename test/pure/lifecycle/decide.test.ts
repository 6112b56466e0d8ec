import { describe, expect, it } from 'vitest'
import { actionStatuses } from '../../../shared/contract/action/action-status.ts'
import {
  approve,
  cancel,
  comment,
  expire,
  open,
  reject,
  supersede,
} from '../../../shared/lifecycle/decide.ts'
import { claim, refuse } from '../../../shared/lifecycle/execute.ts'
import type { Decide } from '../../../shared/lifecycle/move.ts'
import {
  action,
  agent,
  approval,
  approver,
  changeOf,
  leasedJob,
  opening,
  pendingJob,
  terms,
  worker,
} from './action-state.ts'

const note = { note: 'checked' }
const claiming = {
  worker,
  token: 9,
  lease_ms: 4_000,
  idempotency_key: 'key-1',
  not_after: '2026-11-21T00:00:30.000Z',
  retry_until: '2026-11-21T01:00:00.000Z',
  actuator: { name: 'crm', kind: 'mock' },
  request_hash: null,
  key_honoured: true,
}

describe('open', () => {
  it('an allowed proposal has its job in the same change', () => {
    const change = open(opening('allow', 3))
    expect({ from: change.from, to: change.to, hold_ms: change.hold_ms }).toEqual({
      from: null,
      to: 'execution_pending',
      hold_ms: null,
    })
    expect(change.job).toMatchObject({
      state: 'pending',
      attempt: 0,
      max_attempts: 3,
      expected_token: null,
      lease_token: 0,
      lease_owner: null,
      run_in_ms: 0,
      maybe_executed: false,
    })
  })

  it('a held one has a time to live and no job', () => {
    const change = open(opening('needs_approval'))
    expect(change).toMatchObject({ to: 'pending_approval', job: null, hold_ms: 60_000 })
  })

  it('a denied one has neither', () => {
    expect(open(opening('deny'))).toMatchObject({ to: 'denied', job: null, hold_ms: null })
  })

  it.each(['allow', 'needs_approval', 'deny'] as const)(
    'records the proposal as the agent’s and %s as the gate’s',
    decision => {
      const [received, verdict, ...more] = open(opening(decision)).entries
      expect(received).toMatchObject({
        kind: 'proposal_received',
        from: null,
        to: 'received',
        principal: agent,
        payload: { proposal_id: 'p-1' },
      })
      expect(verdict).toMatchObject({
        kind: 'verdict',
        from: 'received',
        principal: { id: 'gate', kind: 'gate' },
        payload: { decision },
      })
      expect(more).toEqual([])
    },
  )
})

describe('approve', () => {
  it('makes the job of a held action and records who approved', () => {
    const change = changeOf(approve(approval(note, 4))(action()))
    expect(change).toMatchObject({ from: 'pending_approval', to: 'execution_pending', hold_ms: null })
    expect(change.entries).toEqual([
      {
        kind: 'approval',
        from: 'pending_approval',
        to: 'execution_pending',
        principal: approver,
        payload: { ...note, proposal_hash: 'sha256:1' },
      },
    ])
    expect(change.job).toMatchObject({ state: 'pending', attempt: 0, max_attempts: 4, expected_token: null })
  })
})

describe('reject', () => {
  it('denies a held action and makes no job', () => {
    const change = changeOf(reject(approver, note)(action()))
    expect(change).toMatchObject({ to: 'denied', job: null, entries: [{ kind: 'rejection', payload: note }] })
  })
})

describe.each([
  ['approve', approve(approval(note))],
  ['reject', reject(approver, note)],
  ['cancel', cancel(agent, note)],
] as [string, Decide][])('%s', (trigger, decide) => {
  it.each(actionStatuses.filter(status => status !== 'pending_approval'))('is refused when %s', status => {
    expect(decide(action({ status }))).toEqual({ ok: false, error: { reason: 'illegal', status, trigger } })
  })

  it('is refused when the hold ran out, though nobody recorded that yet', () => {
    expect(decide(action({ hold_expired: true }))).toEqual({ ok: false, error: { reason: 'hold_expired' } })
  })

  it('says what the action is when it left the hold long ago', () => {
    const gone = action({ status: 'executed', hold_expired: true })
    expect(decide(gone)).toMatchObject({ ok: false, error: { reason: 'illegal', status: 'executed' } })
  })
})

describe('approve', () => {
  it('is refused for another proposal than the one that was seen', () => {
    const other = approve({ ...approval(), proposal_hash: 'sha256:2' })
    expect(other(action())).toEqual({ ok: false, error: { reason: 'other_content' } })
    expect(approve({ ...approval(), proposal_hash: 'sha256:1' })(action()).ok).toBe(true)
  })

  it('is refused for another request than the one that was seen', () => {
    const held = action({ planned_hash: 'sha256:3' })
    const seen = (request_hash: string) => approve({ ...approval(), request_hash })
    for (const [given, one] of [
      ['sha256:2', held],
      ['sha256:3', action()],
    ] as const)
      expect(seen(given)(one)).toEqual({ ok: false, error: { reason: 'other_request' } })
    expect(changeOf(seen('sha256:3')(held)).entries[0]?.payload).toMatchObject({ request_hash: 'sha256:3' })
  })
})

describe('comment', () => {
  it.each([
    ['comment', 'comment'],
    ['change_request', 'change_request'],
  ] as const)('a %s leaves the action held, for as long as before', (kind, event) => {
    const change = changeOf(comment(kind, approver, note)(action()))
    expect(change).toMatchObject({
      from: 'pending_approval',
      to: 'pending_approval',
      job: null,
      hold_ms: null,
    })
    expect(change.entries).toMatchObject([{ kind: event, principal: approver, payload: note }])
  })

  it('is refused where so much was said already, and where nothing waits', () => {
    const say = comment('comment', approver, note)
    expect(say(action({ event_count: 64 }))).toEqual({ ok: false, error: { reason: 'too_many_comments' } })
    expect(say(action({ event_count: 63 })).ok).toBe(true)
    const gone = action({ status: 'denied', event_count: 64 })
    expect(say(gone)).toMatchObject({ ok: false, error: { reason: 'illegal', status: 'denied' } })
    expect(say(action({ hold_expired: true }))).toEqual({ ok: false, error: { reason: 'hold_expired' } })
  })
})

describe('supersede', () => {
  const edit = supersede(approver, { superseded_by: 'act_2' }, 'sha256:1')

  it('denies a held action, and names what takes its place and what was seen', () => {
    const payload = { superseded_by: 'act_2', proposal_hash: 'sha256:1' }
    const entries = [{ kind: 'supersession', principal: approver, payload }]
    expect(changeOf(edit(action()))).toMatchObject({ to: 'denied', job: null, entries })
  })

  it('says whose it is and for which group, as every decision on a route', () => {
    const route = {
      name: 'refunds',
      hash: 'sha256:3',
      required: [{ group: 'leads', approvals: 1 }],
      helping: null,
      issuer: null,
      asked_next: null,
      people: new Map([['leads', ['name:two']]]),
      absences: [{ absent: 'name:two', delegate: 'name:six' }],
    }
    const routed = action({ quorum: { required: 1, proposer_holder: 'name:one', given: [], route } })
    const payloadBy = (holder: string) => changeOf(edit(routed, holder)).entries[0]?.payload
    const said = { route_hash: 'sha256:3', group: 'leads' }
    expect(payloadBy('name:two')).toMatchObject({ holder: 'name:two', ...said })
    expect(payloadBy('name:six')).toMatchObject({ holder: 'name:six', ...said, on_behalf_of: 'name:two' })
    expect(edit(routed, 'name:ten')).toMatchObject({ ok: false, error: { reason: 'not_on_route' } })
  })

  it('is refused to whoever may not approve it, of what they did not see, and too late', () => {
    const quorum = { required: 2, proposer_holder: 'name:one', given: [], route: null }
    const refusal = (state: Parameters<typeof action>[0], holder = 'name:two') => {
      const decided = edit(action(state), holder)
      return decided.ok ? null : decided.error.reason
    }
    expect(refusal({ quorum }, 'name:one')).toBe('own_proposal')
    expect(refusal({ quorum })).toBeNull()
    expect(refusal({ frozen: true })).toBe('frozen')
    expect(refusal({ proposal_hash: 'sha256:2' })).toBe('other_content')
    expect(refusal({ hold_expired: true })).toBe('hold_expired')
    expect(refusal({ status: 'denied' })).toBe('illegal')
  })
})

describe('cancel', () => {
  it('denies a held action in the name of the key that proposed it', () => {
    const change = changeOf(cancel(agent, note)(action()))
    expect(change).toMatchObject({
      to: 'denied',
      job: null,
      entries: [{ kind: 'cancellation', principal: agent, payload: note }],
    })
  })

  it('is refused to every other key', () => {
    const other = cancel({ id: 'agk_other', kind: 'agent' }, note)
    expect(other(action())).toEqual({ ok: false, error: { reason: 'not_the_proposer' } })
  })
})

describe('expire', () => {
  it('denies what was held too long, in the name of the system', () => {
    const change = changeOf(expire()(action({ hold_expired: true })))
    expect(change).toMatchObject({
      to: 'denied',
      job: null,
      entries: [{ kind: 'expiry', principal: { kind: 'system' }, payload: { reason: 'approval_expired' } }],
    })
  })

  it('leaves what may still be approved', () => {
    expect(expire()(action())).toMatchObject({ ok: false, error: { reason: 'illegal', trigger: 'expire' } })
  })

  it.each(actionStatuses.filter(status => status !== 'pending_approval'))('is refused when %s', status => {
    expect(expire()(action({ status, hold_expired: true }))).toEqual({
      ok: false,
      error: { reason: 'illegal', status, trigger: 'expire' },
    })
  })
})

describe('claim', () => {
  it('takes the lease and writes ahead what is about to be sent', () => {
    const job = pendingJob({ attempt: 1, lease_token: 4 })
    const change = changeOf(claim(claiming)(action({ status: 'execution_pending', job })))
    expect(change.entries).toEqual([
      {
        kind: 'execution_attempt',
        from: 'execution_pending',
        to: 'executing',
        principal: worker,
        payload: {
          attempt: 2,
          token: 9,
          idempotency_key: 'key-1',
          not_after: '2026-11-21T00:00:30.000Z',
          actuator: { name: 'crm', kind: 'mock' },
        },
      },
    ])
    expect(change.job).toMatchObject({
      state: 'leased',
      attempt: 2,
      expected_token: 4,
      lease_token: 9,
      lease_owner: worker.id,
      lease_ms: 4_000,
      key_honoured: true,
    })
  })

  it('does not forget that an earlier attempt may have had its effect', () => {
    const job = pendingJob({ attempt: 1, maybe_executed: true })
    expect(changeOf(claim(claiming)(action({ status: 'execution_pending', job }))).job?.maybe_executed).toBe(
      true,
    )
  })

  it('does not repeat what may have happened where the key is not honoured', () => {
    const job = pendingJob({ attempt: 1, maybe_executed: true })
    const repeat = claim({ ...claiming, key_honoured: false })(action({ status: 'execution_pending', job }))
    expect(repeat).toMatchObject({ ok: false, error: { reason: 'illegal', trigger: 'claim' } })
  })

  it.each(['leased', 'unknown', 'done'] as const)('leaves a job that is %s', state => {
    const taken = action({ status: 'execution_pending', job: pendingJob({ state }) })
    expect(claim(claiming)(taken)).toMatchObject({
      ok: false,
      error: { reason: 'illegal', trigger: 'claim' },
    })
  })

  it.each(actionStatuses.filter(status => status !== 'execution_pending'))('is refused when %s', status => {
    expect(claim(claiming)(action({ status, job: pendingJob() }))).toMatchObject({
      ok: false,
      error: { reason: 'illegal', status },
    })
  })

  it('is refused without a job', () => {
    expect(claim(claiming)(action({ status: 'execution_pending' }))).toMatchObject({ ok: false })
  })
})

describe('refuse', () => {
  const refusing = refuse(
    worker,
    { code: 'actuator_not_registered', message: 'no actuator named crm' },
    { terms, jitter: 0.5 },
  )

  it('ends what cannot run before anything was sent', () => {
    const change = changeOf(refusing(action({ status: 'execution_pending', job: pendingJob() })))
    expect(change).toMatchObject({
      to: 'execution_failed',
      entries: [
        {
          kind: 'execution',
          principal: worker,
          payload: { outcome: 'failed', attempt: 0, error: { code: 'actuator_not_registered' } },
        },
      ],
      job: { state: 'done', last_error: 'actuator_not_registered', lease_owner: null },
    })
  })

  it('does not call failed what an earlier attempt may have done', () => {
    const job = pendingJob({ attempt: 1, maybe_executed: true })
    const change = changeOf(refusing(action({ status: 'execution_pending', job })))
    expect(change).toMatchObject({
      to: 'outcome_unknown',
      entries: [{ kind: 'execution', payload: { outcome: 'unknown', attempt: 1 } }],
      job: { state: 'unknown', maybe_executed: true },
    })
  })

  it('is refused while somebody holds the lease, and once the action has ended', () => {
    const running = action({ status: 'executing', job: leasedJob() })
    const ended = action({ status: 'executed', job: pendingJob({ state: 'done' }) })
    expect(refusing(running)).toMatchObject({ ok: false, error: { reason: 'illegal', status: 'executing' } })
    expect(refusing(ended)).toMatchObject({ ok: false, error: { reason: 'illegal', status: 'executed' } })
  })
})
