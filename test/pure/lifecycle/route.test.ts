import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { CountedApproval } from '../../../shared/contract/action/action-status.ts'
import type { Principal } from '../../../shared/contract/action/audit.ts'
import type { JsonObject } from '../../../shared/contract/base/json.ts'
import type { Quorum, RouteTerms } from '../../../shared/lifecycle/change.ts'
import { approve, escalate, expire, reject, supersede } from '../../../shared/lifecycle/decide.ts'
import type { Decide } from '../../../shared/lifecycle/move.ts'
import { missingOf } from '../../../shared/lifecycle/route.ts'
import { action, approval, approver, changeOf } from './action-state.ts'

const at = '2026-11-25T10:00:00.000Z'

function by(id: string, group: string, change: Partial<CountedApproval> = {}): CountedApproval {
  return {
    principal: { id, kind: 'approver' },
    name: id,
    holder: `name:${id}`,
    note: null,
    at,
    group,
    ...change,
  }
}

const twoAndOne = [
  { group: 'leads', approvals: 2 },
  { group: 'security', approvals: 1 },
]

function terms(people: Record<string, string[]>, change: Partial<RouteTerms> = {}): RouteTerms {
  const holders = Object.entries(people).map(
    ([group, names]) => [group, names.map(name => `name:${name}`)] as const,
  )
  return {
    name: 'refunds',
    hash: 'sha256:r',
    required: twoAndOne,
    issuer: null,
    helping: null,
    asked_next: null,
    people: new Map(holders),
    absences: [],
    ...change,
  }
}

const people = { leads: ['ada', 'bob', 'cay'], security: ['sam', 'ada'] }

function held(given: CountedApproval[], route: RouteTerms = terms(people), change: Partial<Quorum> = {}) {
  const quorum: Quorum = { required: 3, proposer_holder: 'name:agent', given, route, ...change }
  return action({ quorum })
}

const decide = (state: ReturnType<typeof held>, holder: string) =>
  approve({ ...approval(), approver: { id: holder, kind: 'approver' } })(state, `name:${holder}`)

const payloadOf = (state: ReturnType<typeof held>, holder: string) => {
  const decided = decide(state, holder)
  if (!decided.ok) return decided.error
  return decided.value.entries[0]?.payload
}

describe('an approval of a route', () => {
  it('says for which group it counts, and of which route', () => {
    expect(payloadOf(held([]), 'bob')).toMatchObject({
      holder: 'name:bob',
      group: 'leads',
      route_hash: 'sha256:r',
      approvals: { given: 1, required: 3 },
    })
  })

  it('gives the action its job when each group has given its own', () => {
    const state = held([by('bob', 'leads'), by('sam', 'security')])
    expect(decide(state, 'cay')).toMatchObject({
      ok: true,
      value: { to: 'execution_pending', job: { state: 'pending' } },
    })
  })

  it('does not count for a group that has given its own', () => {
    const state = held([by('bob', 'leads'), by('cay', 'leads')])
    expect(payloadOf(state, 'sam')).toMatchObject({ group: 'security' })
    const other = terms({ leads: ['ada', 'bob', 'cay', 'dan'], security: ['sam'] })
    expect(payloadOf(held(state.quorum?.given.slice() ?? [], other), 'dan')).toEqual({
      reason: 'group_complete',
      groups: ['leads'],
    })
  })

  it('is not taken of somebody outside, who cannot reject either', () => {
    expect(payloadOf(held([]), 'eve')).toEqual({ reason: 'not_on_route', route: 'refunds' })
    expect(reject(approver, {})(held([]), 'name:eve')).toEqual({
      ok: false,
      error: { reason: 'not_on_route', route: 'refunds' },
    })
    const rejected = changeOf(reject(approver, { note: 'no' })(held([]), 'name:sam'))
    expect(rejected).toMatchObject({ to: 'denied' })
    expect(rejected.entries[0]?.payload).toEqual({
      note: 'no',
      holder: 'name:sam',
      group: 'security',
      route_hash: 'sha256:r',
    })
  })

  it('uses nobody of two groups up where the other group has nobody else', () => {
    const only = terms({ leads: ['ada', 'bob', 'cay'], security: ['ada'] })
    expect(payloadOf(held([], only), 'ada')).toMatchObject({ group: 'security' })
    expect(payloadOf(held([]), 'ada')).toMatchObject({ group: 'leads' })
  })

  it('is not taken of who proposed it, also where one approval is enough', () => {
    const one = terms({ security: ['sam'] }, { required: [{ group: 'security', approvals: 1 }] })
    const state = held([], one, { required: 1, proposer_holder: 'name:sam' })
    expect(payloadOf(state, 'sam')).toEqual({ reason: 'own_proposal' })
  })

  it('is one more of anybody on the route where the policy takes more than the route', () => {
    const one = terms(people, { required: [{ group: 'security', approvals: 1 }] })
    const state = held([by('sam', 'security')], one, { required: 2 })
    expect(decide(state, 'ada')).toMatchObject({ value: { to: 'execution_pending' } })
    expect(payloadOf(state, 'bob')).toEqual({ reason: 'not_on_route', route: 'refunds' })
  })

  it('waits where a group has nobody: nothing is skipped, and time denies it', () => {
    const empty = terms({ leads: ['ada', 'bob', 'cay'], security: [] })
    const state = held([by('ada', 'leads'), by('bob', 'leads')], empty)
    expect(payloadOf(state, 'cay')).toEqual({ reason: 'group_complete', groups: ['leads'] })
    expect(changeOf(expire()({ ...state, hold_expired: true }))).toMatchObject({ to: 'denied' })
  })
})

describe('a group that helps', () => {
  const late = (change: Partial<RouteTerms>) => terms({ ...people, duty: ['dee', 'dan'] }, change)

  it('is asked once, when nobody decided for as long as the route says', () => {
    const asked = changeOf(escalate()(held([], late({ asked_next: 'duty' }))))
    expect(asked).toMatchObject({ from: 'pending_approval', to: 'pending_approval', job: null })
    expect(asked.entries).toMatchObject([
      { kind: 'escalation', principal: { kind: 'system' }, payload: { reason: 'undecided', group: 'duty' } },
    ])
    expect(escalate()(held([], late({ helping: 'duty' })))).toMatchObject({ error: { reason: 'illegal' } })
    expect(escalate()({ ...held([], late({ asked_next: 'duty' })), hold_expired: true })).toMatchObject({
      error: { reason: 'hold_expired' },
    })
  })

  it('counts for any group of the route after that, and not before', () => {
    expect(payloadOf(held([], late({})), 'dee')).toMatchObject({ reason: 'not_on_route' })
    const state = held([by('bob', 'leads'), by('cay', 'leads')], late({ helping: 'duty' }))
    expect(payloadOf(state, 'dee')).toMatchObject({ group: 'security', stands_in: 'duty' })
  })
})

describe('a delegate', () => {
  const away = { absences: [{ absent: 'name:bob', delegate: 'name:eve' }] }

  it('counts for the group of who is absent, and says for whom', () => {
    expect(payloadOf(held([], terms(people, away)), 'eve')).toMatchObject({
      holder: 'name:eve',
      group: 'leads',
      on_behalf_of: 'name:bob',
    })
  })

  it('never counts beside who is absent, in either order', () => {
    const acted = held([by('eve', 'leads', { on_behalf_of: 'name:bob' })], terms(people, away))
    expect(payloadOf(acted, 'bob')).toEqual({ reason: 'holder_counted', by: 'eve' })
    expect(payloadOf(held([by('bob', 'leads')], terms(people, away)), 'eve')).toEqual({
      reason: 'not_on_route',
      route: 'refunds',
    })
  })

  it('never counts for a proposal of theirs or of who is absent', () => {
    const own = (proposer_holder: string) => held([], terms(people, away), { proposer_holder })
    expect(payloadOf(own('name:eve'), 'eve')).toEqual({ reason: 'own_proposal' })
    expect(payloadOf(own('name:bob'), 'eve')).toEqual({ reason: 'not_on_route', route: 'refunds' })
  })

  it('counts for themselves where they are in the group', () => {
    const both = terms(people, { absences: [{ absent: 'name:bob', delegate: 'name:cay' }] })
    expect(payloadOf(held([], both), 'cay')).not.toHaveProperty('on_behalf_of')
  })
})

describe('any route', () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f']
  const groups = fc.array(
    fc.record({ approvals: fc.integer({ min: 1, max: 2 }), members: fc.subarray(names) }),
    { minLength: 1, maxLength: 3 },
  )
  const order = fc.shuffledSubarray(names, { minLength: names.length })

  it('goes on exactly when its groups have given their own, in any order of its people', () => {
    fc.assert(
      fc.property(groups, order, fc.integer({ min: 1, max: 4 }), (drawn, people, minimum) => {
        const required = drawn.map(({ approvals }, at) => ({ group: `g${at}`, approvals }))
        const members = Object.fromEntries(drawn.map((one, at) => [`g${at}`, one.members]))
        const total = required.reduce((sum, { approvals }) => sum + approvals, 0)
        const needed = Math.max(minimum, total)
        const given: CountedApproval[] = []
        for (const person of people) {
          const state = held(given, terms(members, { required }), { required: needed })
          const decided = decide(state, person)
          if (!decided.ok) continue
          const group = String(decided.value.entries[0]?.payload.group)
          expect(members[group]).toContain(person)
          given.push(by(person, group))
          const isDone = missingOf(required, given).length === 0 && given.length === needed
          expect(decided.value.job !== null).toBe(isDone)
          if (isDone) return
        }
        // Whoever could help was asked: then no choice of people fills the seats.
        const seats = drawn.flatMap(one => Array.from({ length: one.approvals }, () => one.members))
        const anybody = [...new Set(drawn.flatMap(one => one.members))]
        while (seats.length < needed) seats.push(anybody)
        expect(canFill(seats, [])).toBe(false)
      }),
      { numRuns: 400 },
    )
  })

  /** Tries every choice: slow, and obviously right. */
  function canFill([seat, ...others]: string[][], taken: string[]): boolean {
    if (seat === undefined) return true
    return seat.some(name => !taken.includes(name) && canFill(others, [...taken, name]))
  }
})

describe('a route that asks for an issuer', () => {
  const issuer = 'https://id.example.org'
  const state = held([], terms(people, { issuer }))
  const by: Principal = { id: 'acc_ada', kind: 'owner' }
  const at = (where: string | null) => ({
    note: null,
    ...(where === null ? {} : { identity: { issuer: where } }),
  })
  const decisions: [string, (payload: JsonObject) => Decide][] = [
    ['approval', payload => approve({ ...approval(), approver: by, payload })],
    ['rejection', payload => reject(by, payload)],
    ['edit', payload => supersede(by, { ...payload, superseded_by: 'act_2' }, state.proposal_hash)],
  ]

  it.each(decisions)('takes an %s of whoever signed in there', (_, how) => {
    expect(how(at(issuer))(state, 'name:ada').ok).toBe(true)
  })

  it.each(
    decisions.flatMap(([kind, how]) =>
      [null, 'https://id.example.com', `${issuer}/`].map(where => [kind, where, how] as const),
    ),
  )('refuses an %s of whoever signed in at %s', (_, where, how) => {
    expect(how(at(where))(state, 'name:ada')).toEqual({
      ok: false,
      error: { reason: 'other_issuer', issuer },
    })
  })
})
