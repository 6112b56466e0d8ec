import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { CountedApproval } from '../../../shared/contract/action/action-status.ts'
import type { Quorum } from '../../../shared/lifecycle/change.ts'
import { approve, cancel, expire, reject } from '../../../shared/lifecycle/decide.ts'
import { type Credential, holderOf, sameHolder } from '../../../shared/lifecycle/holder.ts'
import { action, agent, approval, approver, changeOf } from './action-state.ts'

const at = '2026-11-21T10:00:00.000Z'

function by(id: string, holder = `name:${id}`): CountedApproval {
  return { principal: { id, kind: 'approver' }, name: id, holder, note: null, at }
}

function held(given: CountedApproval[], required = 2) {
  const quorum: Quorum = { required, proposer_holder: 'name:agent', given, route: null }
  return action({ quorum })
}

describe('an approval of several', () => {
  it('leaves the action held, without a job, and says whose it is and how many', () => {
    const change = changeOf(approve(approval({ note: 'seen' }))(held([]), 'name:ada'))
    expect(change).toMatchObject({ from: 'pending_approval', to: 'pending_approval', job: null })
    expect(change.entries).toEqual([
      {
        kind: 'partial_approval',
        from: 'pending_approval',
        to: 'pending_approval',
        principal: approver,
        payload: {
          note: 'seen',
          proposal_hash: 'sha256:1',
          holder: 'name:ada',
          approvals: { given: 1, required: 2 },
        },
      },
    ])
  })

  it('completes the quorum with the last one, which makes the job', () => {
    const change = changeOf(approve(approval())(held([by('bob')]), 'name:ada'))
    expect(change).toMatchObject({ to: 'execution_pending', job: { state: 'pending' } })
    expect(change.entries).toMatchObject([
      { kind: 'approval', payload: { holder: 'name:ada', approvals: { given: 2, required: 2 } } },
    ])
  })

  it.each([
    ['the same principal', [by(approver.id)], 'name:ada', { reason: 'counted_before' }],
    ['the same holder', [by('bob', 'name:ada')], 'name:ada', { reason: 'holder_counted', by: 'bob' }],
    ['who proposed it', [], 'name:agent', { reason: 'own_proposal' }],
    ['who proposed it, as the last one', [by('bob')], 'name:agent', { reason: 'own_proposal' }],
  ])('does not count %s', (_, given, holder, error) => {
    expect(approve(approval())(held(given), holder)).toEqual({ ok: false, error })
  })

  it('is refused as any other: when frozen, when the hold is over, of another proposal', () => {
    const refused = (state: object, asked = approval()) =>
      approve(asked)({ ...held([]), ...state }, 'name:ada')
    expect(refused({ frozen: true })).toMatchObject({ error: { reason: 'frozen' } })
    expect(refused({ hold_expired: true })).toMatchObject({ error: { reason: 'hold_expired' } })
    const other = { ...approval(), proposal_hash: 'sha256:2' }
    expect(refused({}, other)).toMatchObject({ error: { reason: 'other_content' } })
  })

  it('is somebody’s: nobody in particular is no approver', () => {
    expect(() => approve(approval())(held([]))).toThrow(/somebody/)
  })

  it('one rejection, withdrawal or expiry decides, whatever was approved', () => {
    const state = held([by('bob')])
    const ends = [reject(approver, {}), cancel(agent, {})].map(decide => changeOf(decide(state)))
    const over = changeOf(expire()({ ...state, hold_expired: true }))
    expect([...ends, over].map(({ to }) => to)).toEqual(['denied', 'denied', 'denied'])
  })

  it('makes a job exactly when enough different people approved, in any order', () => {
    const people = fc.array(fc.record({ key: fc.nat(6), person: fc.nat(4) }), { maxLength: 30 })
    fc.assert(
      fc.property(people, fc.integer({ min: 2, max: 5 }), (asked, required) => {
        const given: CountedApproval[] = []
        for (const { key, person } of asked) {
          const [id, holder] = [`key-${key}-${person}`, `name:${person}`]
          const decided = approve({ ...approval(), approver: { id, kind: 'approver' } })(
            held(given, required),
            holder,
          )
          const isNew = !given.some(one => one.holder === holder)
          expect(decided.ok).toBe(isNew)
          if (!decided.ok) continue
          given.push(by(id, holder))
          expect(decided.value.job !== null).toBe(given.length === required)
          if (decided.value.job) return
        }
        expect(new Set(given.map(({ holder }) => holder)).size).toBeLessThan(required)
      }),
    )
  })
})

describe('whose a credential is', () => {
  const admin = { key_id: 'adk_1', name: 'ops', scope: 'admin', tenant_id: null } as const
  const owner = { account_id: 'acc_1', name: 'a@x.org', scope: 'owner', tenant_id: 't' } as const
  const key = (change: Partial<Extract<Credential, { name: string }>> = {}) =>
    holderOf({ name: 'Ada', scope: 'approver', minted_by: admin, shared_with: null, ...change })

  it('an owner and the approver keys that they mint are one, under any name', () => {
    const session = holderOf({ account_id: 'acc_1' })
    expect(key({ minted_by: owner })).toBe(session)
    expect(key({ minted_by: owner, name: 'somebody else' })).toBe(session)
    expect(key({ minted_by: { ...owner, account_id: 'acc_2' } })).not.toBe(session)
    expect(key({ minted_by: owner, shared_with: 'name:bob' })).toBe(session)
  })

  it('an agent key that an owner mints is not the owner', () => {
    expect(key({ minted_by: owner, scope: 'agent' })).toBe('name:ada')
  })

  it('an operator’s keys differ by name, in which neither case nor spacing counts', () => {
    for (const name of ['ada', ' ADA ', '\u00a0Ada\t', 'Ａｄａ']) expect(key({ name })).toBe('name:ada')
    for (const name of [
      'A\u200bda',
      '\ufeffAda',
      'Ada\u2060',
      'A\u00adda',
      'Ada\u0007',
      'Ada\u2800',
      'A\u3164da',
    ])
      expect(key({ name })).toBe('name:ada')
    for (const name of ['Ada L', 'Bob', 'Adä']) expect(key({ name })).not.toBe('name:ada')
    expect(key({ name: 'Ada  Lovelace' })).toBe(key({ name: 'ada lovelace' }))
  })

  it('a key that is minted as another’s has its holder, over any number of rotations', () => {
    expect(key({ name: 'Ada 2', shared_with: key() })).toBe('name:ada')
    expect(key({ name: 'Ada 3', shared_with: key({ name: 'Ada 2', shared_with: key() }) })).toBe('name:ada')
  })

  it('a name that was stored with what nobody sees is the name without it', () => {
    expect(sameHolder('name:a\u200bda', 'name:ada')).toBe(true)
    expect(sameHolder('name:ada', 'name:adam')).toBe(false)
    expect(sameHolder('account:acc_1', 'name:account:acc_1')).toBe(false)
  })

  it('no name is mistaken for an account', () => {
    expect(key({ name: 'account:acc_1' })).not.toBe(holderOf({ account_id: 'acc_1' }))
  })
})
