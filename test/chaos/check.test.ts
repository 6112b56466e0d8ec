import { describe, expect, it } from 'vitest'
import { check, type ProblemKind, type Report } from './check/check.ts'
import { type Evidence, realSystems } from './check/evidence.ts'
import {
  approvedAfter,
  approvedBy,
  drop,
  edit,
  empty,
  endOfPerson,
  erasedIn,
  lateOperations,
  onRoute,
  order,
  replace,
  retell,
  sendDifferently,
  told,
} from './planted.ts'
import {
  approval,
  attempt,
  callOf,
  execution,
  exportOf,
  killOf,
  partialApproval,
  received,
  reconciliation,
  requestOf,
  soundEvidence,
  timeOf,
  verdict,
} from './sound-evidence.ts'

it('finds nothing where nothing is wrong, and counts what there is', () => {
  const report = check(soundEvidence())
  expect(problemsOf(report)).toEqual({})
  expect(report).toMatchObject({
    passed: true,
    says_nothing: [],
    kills: { total: 1, in_flight: 1, share: 1 },
    actions: { total: 10, by_status: { denied: 1, executed: 7, execution_failed: 1, outcome_unknown: 1 } },
    calls: { total: 10, effects: 7, refused: 1 },
    unknown: { actions: 2, reconciled: 1, left_to_operator: 1, by_source: { lookup: 1 } },
    recovery_ms: {
      noticed: { count: 1, p50: 300, p99: 300, max: 300 },
      settled: { count: 1, p50: 300, p99: 300, max: 300 },
    },
  })
})

it('takes as many approvals by different approvers as the verdict demands', () => {
  const evidence = soundEvidence()
  approvedAfter(3, 'approver apk_2', 'owner acc_1')(evidence)
  expect(problemsOf(check(evidence))).toEqual({})
})

it('takes a first approval of two, answered twice, and a rejection after it', () => {
  const evidence = soundEvidence()
  evidence.exports.push(
    exportOf('act_refused', [
      received('p-6'),
      ['verdict', { decision: 'needs_approval', approvals_required: 2 }, 'gate gate'],
      partialApproval('approver apk_2'),
      ['rejection', {}, 'approver apk_1'],
    ]),
  )
  evidence.journal.push(
    requestOf('approve', 'p-6', 'act_refused', 'apk_2'),
    requestOf('approve', 'p-6', 'act_refused', 'apk_2'),
    requestOf('reject', 'p-6', 'act_refused'),
  )
  expect(problemsOf(check(evidence))).toEqual({})
})

it('takes approvals of both groups of a route', () => {
  const evidence = soundEvidence()
  onRoute('leads', 'security')(evidence)
  expect(problemsOf(check(evidence))).toEqual({})
})

it.each([
  ['south', 25],
  ['north', 5],
])('takes operations of %s that come to their deadline, %i of 25', (tenant, late) => {
  const evidence = soundEvidence()
  lateOperations(tenant, late)(evidence)
  expect(problemsOf(check(evidence))).toEqual({})
})

it('takes what is said about a held action, and an edit that ends it', () => {
  const evidence = soundEvidence()
  evidence.exports.push(
    exportOf('act_edited', [
      received('p-7'),
      ['verdict', { decision: 'needs_approval' }, 'gate gate'],
      ['comment', {}, 'approver apk_2'],
      ['change_request', {}, 'owner acc_1'],
      ['escalation', {}, 'system sweeper'],
      ['supersession', { superseded_by: 'act_next' }, 'approver apk_1'],
    ]),
  )
  expect(problemsOf(check(evidence))).toEqual({})
})

it('takes another request after a call that had no effect', () => {
  const evidence = soundEvidence()
  sendDifferently(false)(evidence)
  expect(problemsOf(check(evidence))).toEqual({})
})

const approvedRequest = { kind: 'http', method: 'POST', url: 'http://127.0.0.1:1/elsewhere' }

const shared: [ProblemKind, string, (sound: Evidence) => void][] = [
  ['lost', 'an acknowledged action that is not exported', drop('act_denied')],
  ['lost', 'an action that has no export', sound => replace(sound, { ...empty('act_denied') })],
  ['lost', 'an action that is still executing', retell('act_failed', story => story.slice(0, 3))],
  [
    'lost',
    'an unknown outcome that nobody looks into, and no operator was asked',
    retell('act_approved', story => [...story.slice(0, 5), reconciliation('unknown')]),
  ],
  [
    'lost',
    'an acknowledged rejection that is not in the audit',
    sound => sound.journal.push({ ...requestOf('reject', 'p-3', 'act_denied') }),
  ],
  ['doubled', 'two effects of one action', sound => sound.ledger.push(callOf('act_allowed', 2))],
  [
    'doubled',
    'two actions with one key',
    sound => sound.ledger.push(callOf('act_failed', 2, { key: 'key of act_allowed', effect: false })),
  ],
  [
    'doubled',
    'two keys of one action',
    sound => sound.ledger.push(callOf('act_failed', 2, { key: 'another', effect: false })),
  ],
  [
    'contradicted',
    'executed, and nothing happened',
    sound => {
      sound.ledger = sound.ledger.filter(({ action_id }) => action_id !== 'act_allowed')
    },
  ],
  ['contradicted', 'failed, and it happened', sound => sound.ledger.push(callOf('act_failed', 2))],
  [
    'contradicted',
    'a failure that nobody could know: the server was killed in it',
    sound => {
      sound.ledger = sound.ledger.map(call =>
        call.action_id === 'act_failed' ? { ...call, answer: 'unanswered' } : call,
      )
    },
  ],
  [
    'doubled',
    'a call after one that nobody answered, without a key',
    sound => sound.ledger.push(callOf('act_unanswered', 2, { n: 2, effect: false, answer: 'refused' })),
  ],
  ['contradicted', 'denied, and it happened', sound => sound.ledger.push(callOf('act_denied', 1))],
  ['unauthorised', 'a call for an action that nobody knows', sound => sound.ledger.push(callOf('act_x', 1))],
  [
    'unauthorised',
    'a call before the approval',
    sound => {
      sound.ledger = sound.ledger.map(call => ({ ...call, arrived: Math.min(call.arrived, timeOf(2) - 1) }))
    },
  ],
  [
    'unauthorised',
    'a call in the name of another tenant',
    sound => {
      sound.ledger = sound.ledger.map(call => ({ ...call, tenant_id: 'south' }))
    },
  ],
  [
    'unauthorised',
    'a call whose attempt was not written ahead',
    sound => {
      sound.ledger = sound.ledger.map(call => ({ ...call, attempt: Number(call.attempt) + 1 }))
    },
  ],
  [
    'unauthorised',
    'more calls than attempts, where the protocol does not count them',
    sound =>
      sound.ledger.push(callOf('act_erased', 6, { action_id: null, attempt: null, n: 3, effect: false })),
  ],
  [
    'altered',
    'parameters that nobody proposed',
    sound => {
      sound.ledger = sound.ledger.map(call => ({ ...call, parameters: { amount: 2 } }))
    },
  ],
  ['altered', 'another request with a key that had its effect', sendDifferently(true)],
  [
    'altered',
    'a request that nobody approved',
    retell('act_approved', ([one, held, ...rest]) =>
      told(one, [held?.[0] ?? '', { ...held?.[1], request: approvedRequest }, 'gate gate'], ...rest),
    ),
  ],
  ['starved', 'operations that come to their deadline beside polls that hang', lateOperations('north', 6)],
  ['disobeyed', 'a claim under a freeze', order({ order: 'freeze', from: timeOf(1), until: timeOf(4) })],
  ['disobeyed', 'a claim under a pause', order({ order: 'pause', from: timeOf(1), until: timeOf(4) })],
  [
    'disobeyed',
    'a revoked key that is accepted',
    order({ order: 'revoke', from: timeOf(1), accepted_after: 1, asked_after: 2 }),
  ],
  ['disobeyed', 'a session that is accepted after its end', endOfPerson({ accepted_after: 1 })],
  ['disobeyed', 'a write of somebody after their end', endOfPerson({ at_last: 4 })],
  ['disobeyed', 'a server error for somebody who ends', endOfPerson({ improper: ['PUT /policy: 500'] })],
  [
    'roots_not_reproducible',
    'an erasure that leaves content',
    sound => {
      const { exported } = erasedIn(sound)
      Object.assign(exported.events[0] ?? {}, { payload: { proposal_id: 'p-5' } })
    },
  ],
  [
    'roots_not_reproducible',
    'an erasure that takes an event',
    sound => erasedIn(sound).exported.events.pop(),
  ],
  [
    'roots_not_reproducible',
    'an erasure that changes an event',
    sound => {
      const { exported } = erasedIn(sound)
      Object.assign(exported.events[1] ?? {}, { event: exported.events[0]?.event })
    },
  ],
  ['unauthorised', 'an approval by the proposer', approvedBy('approver agk_1')],
  ['unauthorised', 'an approval by an agent', approvedBy('agent agk_2')],
  ['unauthorised', 'one approval where it takes two', approvedAfter(2)],
  ['unauthorised', 'two approvals where it takes three', approvedAfter(3, 'approver apk_2')],
  ['unauthorised', 'two approvals by one approver', approvedAfter(2, 'approver apk_1')],
  ['unauthorised', 'a first approval by the proposer', approvedAfter(2, 'agent agk_1')],
  ['unauthorised', 'an approval for no group of the route', onRoute('leads', 'friends')],
  ['unauthorised', 'two approvals of one group of the route', onRoute('leads', 'leads')],
  ['unauthorised', 'an approval that counts for no group', onRoute('leads', undefined)],
  [
    'illegal_transitions',
    'an event after the end',
    retell('act_denied', story => [...story, attempt(1, 'act_denied')]),
  ],
  [
    'illegal_transitions',
    'an attempt without a verdict',
    retell('act_failed', ([first, , ...rest]) => [first ?? received('p-4'), ...rest]),
  ],
  [
    'illegal_transitions',
    'attempts that do not count up',
    retell('act_failed', ([one, two, , last]) => told(one, two, attempt(2, 'act_failed'), last)),
  ],
  [
    'illegal_transitions',
    'a fencing token that was used before',
    retell('act_failed', ([one, two, first, last]) =>
      told(
        one,
        two,
        first,
        execution('retry'),
        ['execution_attempt', { ...first?.[1], attempt: 2 }, 'worker wrk_2'],
        last,
      ),
    ),
  ],
  [
    'roots_not_reproducible',
    'a changed payload',
    edit(({ events }) => Object.assign(events[1]?.payload ?? {}, { a: 1 })),
  ],
  ['roots_not_reproducible', 'a dropped event', edit(({ events }) => events.pop())],
  ['roots_not_reproducible', 'events in another order', edit(({ events }) => events.reverse())],
  [
    'roots_not_reproducible',
    'another root',
    edit(found => Object.assign(found, { audit_root: 'sha256:00' })),
  ],
  [
    'roots_not_reproducible',
    'the export of another action',
    edit(found => Object.assign(found, { action_id: 'act_y' })),
  ],
  [
    'duplicate_actions',
    'two actions of one proposal',
    sound => sound.exports.push(exportOf('act_again', [received('p-3'), verdict('deny')])),
  ],
  [
    'duplicate_actions',
    'two answers to one proposal',
    sound => sound.journal.push(requestOf('submit', 'p-1', 'act_denied')),
  ],
  [
    'decided_twice',
    'an approval and a rejection',
    retell('act_approved', ([one, two, ...rest]) =>
      told(one, two, ['rejection', {}, 'approver apk_1'], ...rest),
    ),
  ],
  [
    'decided_twice',
    'two approvals',
    retell('act_approved', ([one, two, ...rest]) => told(one, two, approval, ...rest)),
  ],
  [
    'decided_twice',
    'two acknowledged approvals',
    sound => sound.journal.push(requestOf('approve', 'p-2', 'act_approved')),
  ],
  [
    'lost',
    'an acknowledged approval of two that somebody else gave',
    sound => sound.journal.push(requestOf('approve', 'p-5', 'act_erased', 'apk_3')),
  ],
]

describe('a planted fault is found:', () => {
  it.each(shared)('%s: %s', (kind, _what, plant) => {
    const evidence = soundEvidence()
    plant(evidence)
    const report = check(evidence)
    expect(report.passed).toBe(false)
    expect(problemsOf(report)[kind]).toBeGreaterThan(0)
  })

  it('and every kind of problem was planted', () => {
    const planted = new Set(shared.map(([kind]) => kind))
    expect([...planted].sort()).toEqual(Object.keys(check(soundEvidence()).problems).sort())
  })
})

describe('a run says nothing', () => {
  it('where the kills hit no work', () => {
    const evidence = soundEvidence()
    evidence.faults.push(killOf([]), killOf([]), killOf([]))
    expect(check(evidence)).toMatchObject({
      passed: false,
      says_nothing: ['only 25 % of the kills hit work'],
      kills: { total: 4, in_flight: 1 },
    })
  })

  it('where no outcome was ever unknown', () => {
    const evidence = soundEvidence()
    retell('act_approved', story => [...story.slice(0, 4), execution('ok')])(evidence)
    drop('act_unanswered')(evidence)
    evidence.ledger = evidence.ledger.filter(({ answer }) => answer !== 'unanswered')
    expect(check(evidence)).toMatchObject({
      passed: false,
      says_nothing: ['no outcome was ever unknown', 'there was no look up', 'there was no unanswered call'],
    })
  })

  const sighted = [
    'fenced_write',
    'late_result',
    'lost_commit',
    'hanging_poll',
    'poll_beside_hanging',
  ] as const
  it.each(sighted)('where there was no %s', what => {
    const evidence = soundEvidence()
    evidence.sightings = evidence.sightings.filter(line => line.what !== what)
    const says_nothing = [`there was no ${what.replaceAll('_', ' ')}`]
    expect(check(evidence)).toMatchObject({ passed: false, says_nothing })
  })

  it.each(['freeze', 'pause', 'revoke'] as const)('where nobody ordered a %s', ordered => {
    const evidence = soundEvidence()
    evidence.orders = evidence.orders.filter(line => line.order !== ordered)
    expect(check(evidence)).toMatchObject({ passed: false, says_nothing: [`there was no ${ordered}`] })
  })

  it('where no server was killed in a call', () => {
    const evidence = soundEvidence()
    evidence.ledger = evidence.ledger.filter(({ answer }) => answer !== 'unanswered')
    const says_nothing = ['there was no unanswered call']
    expect(check(evidence)).toMatchObject({ passed: false, says_nothing })
  })

  it.each(realSystems)('where %s did nothing', system => {
    const evidence = soundEvidence()
    evidence.exports = evidence.exports.filter(({ action_id }) => action_id !== `act_${system}`)
    evidence.ledger = evidence.ledger.filter(({ action_id }) => action_id !== `act_${system}`)
    const says_nothing = [`there was no effect at ${system.replaceAll('_', ' ')}`]
    expect(check(evidence)).toMatchObject({ passed: false, says_nothing })
  })

  it('where no key was repeated', () => {
    const evidence = soundEvidence()
    evidence.ledger = evidence.ledger.filter(({ answer }) => answer !== 'busy')
    expect(check(evidence)).toMatchObject({ passed: false, says_nothing: ['there was no repeated key'] })
  })

  it('where nothing was done at all', () => {
    const nothing = { ledger: [], journal: [], faults: [], orders: [], sightings: [], exports: [] }
    const report = check(nothing)
    expect(report.passed).toBe(false)
    expect(report.says_nothing).toHaveLength(3 + Object.keys(report.seen).length)
  })
})

it('an unknown outcome that is left to an operator is settled, and counted', () => {
  const evidence = soundEvidence()
  retell('act_approved', story => [
    ...story.slice(0, 5),
    reconciliation('unknown', { needs_operator: true }),
  ])(evidence)
  expect(check(evidence)).toMatchObject({
    passed: true,
    unknown: { actions: 2, reconciled: 0, left_to_operator: 2 },
  })
})

/** How many problems there are of each kind that there is one of. */
function problemsOf({ problems }: Report): Partial<Record<ProblemKind, number>> {
  const found = Object.entries(problems).filter(([, list]) => list.length > 0)
  return Object.fromEntries(found.map(([kind, list]) => [kind, list.length]))
}
