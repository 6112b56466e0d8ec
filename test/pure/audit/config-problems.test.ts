import { describe, expect, test } from 'vitest'
import {
  type ConfiguredDecision,
  configProblem,
  isByUnknownKey,
} from '../../../shared/audit/verify/config-problems.ts'

const issued = { scope: 'approver', holder: 'name:ada', expires_at: null }

/** An approval for `leads` by the key of `ada`, as it was minted and while the group had her. */
function decision(change: Partial<ConfiguredDecision> = {}): ConfiguredDecision {
  return {
    place: 2,
    kind: 'approval',
    principal: { id: 'apk_ada', kind: 'approver' },
    at: '2026-11-21T08:00:00.000Z',
    holder: 'name:ada',
    group: 'leads',
    on_behalf_of: null,
    issued,
    revoked: false,
    in_group: true,
    delegated: null,
    ...change,
  }
}

const owner = { principal: { id: 'acc_1', kind: 'owner' }, holder: 'account:acc_1', issued: null } as const

describe('a decision', () => {
  test.each<[string, Partial<ConfiguredDecision>]>([
    ['by a key as it was minted', {}],
    ['for no group', { group: null, in_group: null }],
    ['by an account', owner],
    ['in the place of who is absent', { on_behalf_of: 'name:bob', delegated: true }],
    ['of a key from before it was recorded whose it is', { issued: { ...issued, holder: null } }],
    ['whose content was erased', { holder: null, group: null, in_group: null }],
    ['just after the end of its key', { issued: { ...issued, expires_at: '2026-11-21T07:59:00.000Z' } }],
    ['with a proposal whose key was revoked meanwhile', { kind: 'verdict', revoked: true, in_group: null }],
  ])('stands: %s', (_, change) => {
    expect(configProblem(decision(change), true)).toBeNull()
  })

  test.each<[string, Partial<ConfiguredDecision>, RegExp]>([
    ['a key that nobody minted', { issued: null }, /a key that nobody had minted/],
    ['an agent’s key', { issued: { ...issued, scope: 'agent' } }, /with the scope agent, as approver/],
    ['a key of somebody else', { holder: 'name:eve' }, /of name:eve, and the key was minted for name:ada/],
    [
      'a verdict that names another proposer than the key was minted for',
      { kind: 'verdict', holder: 'name:eve', group: null, in_group: null },
      /verdict about a proposal by apk_ada, which says that it is of name:eve/,
    ],
    ['a key that was revoked', { revoked: true }, /a key that had been revoked/],
    [
      'a key that was over',
      { issued: { ...issued, expires_at: '2026-11-21T07:58:59.999Z' } },
      /a key that was over at 2026-11-21T07:58:59.999Z/,
    ],
    ['somebody outside the group', { in_group: false }, /for leads, which did not have name:ada/],
    ['an account outside the group', { ...owner, in_group: false }, /which did not have account:acc_1/],
    [
      'somebody for who is outside',
      { on_behalf_of: 'name:bob', delegated: true, in_group: false },
      /for leads, which did not have name:bob/,
    ],
    [
      'somebody whom the absent person did not name',
      { on_behalf_of: 'name:bob', delegated: false },
      /in the place of name:bob, who had not named name:ada/,
    ],
    [
      'an edit by somebody outside, which says no group',
      { kind: 'supersession', group: null, in_group: false },
      /supersession by apk_ada, whom no group of the route had/,
    ],
  ])('is found: %s', (_, change, problem) => {
    expect(String(configProblem(decision(change), true))).toMatch(problem)
  })

  test('by a key of another database is not known, and is not ordered with its end', () => {
    expect(configProblem(decision({ issued: null }), false)).toBeNull()
    expect(configProblem(decision({ revoked: true }), false)).toBeNull()
    expect(configProblem(decision({ holder: 'name:eve' }), false)).toMatch(/minted for name:ada/)
    expect(isByUnknownKey(decision({ issued: null }))).toBe(true)
    expect([decision(), decision(owner)].map(isByUnknownKey)).toEqual([false, false])
  })
})
