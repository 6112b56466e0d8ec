import { describe, expect, test } from 'vitest'
import type { EntryToSeal } from '../../../shared/audit/event/seal.ts'
import { pairProblem } from '../../../shared/audit/verify/approval-problems.ts'
import { verifyExport } from '../../../shared/audit/verify/verify-export.ts'
import { canonicalJson } from '../../../shared/canon/canonical-json.ts'
import { documentHash } from '../../../shared/canon/digest.ts'
import type { EventKind, Principal } from '../../../shared/contract/action/audit.ts'
import type { JsonObject } from '../../../shared/contract/base/json.ts'
import { buildExport, trusted } from '../../support/audit/export-builder.ts'
import { entry, inPlaces, people } from '../../support/audit/trace-entries.ts'

const ada: Principal = { id: 'apk_ada', kind: 'approver' }
const bob: Principal = { id: 'acc_bob', kind: 'owner' }
const cay: Principal = { id: 'apk_cay', kind: 'approver' }

/** Held for so many approvals, as the gate records it. */
function held(approvals_required: unknown = 2): EntryToSeal {
  const verdict = entry.verdict('needs_approval')
  return {
    ...verdict,
    payload: { ...body(verdict), approvals_required, proposer_holder: 'name:agent' } as JsonObject,
  }
}

function approval(kind: EventKind, by: Principal, change: JsonObject = {}): EntryToSeal {
  const given = kind === 'approval' ? 2 : 1
  const counted = { holder: holderOf(by), approvals: { given, required: 2 }, ...change }
  return { ...entry.approved(by), kind, payload: { ...body(entry.approved(by)), ...counted } }
}

const holderOf = ({ id, kind }: Principal): string => `${kind === 'owner' ? 'account' : 'name'}:${id}`

const partial = (by: Principal, change?: JsonObject) => approval('partial_approval', by, change)
const last = (by: Principal, change?: JsonObject) => approval('approval', by, change)
const body = ({ payload }: EntryToSeal): JsonObject => payload as JsonObject

function verify(entries: EntryToSeal[], without: number[] = []) {
  const { bytes } = buildExport({ entries: inPlaces([entry.proposed(), ...entries]), without })
  const { outcome, problem, checks } = verifyExport(bytes, { trusted })
  return { outcome, problem, failed: checks.find(({ status }) => status === 'failed')?.name }
}

const ran = [entry.attempted(1), entry.executed('ok')]

describe('an export of what took several approvals', () => {
  test('verifies, when complete, under way, rejected and expired', () => {
    expect(verify([held(), partial(ada), last(bob), ...ran])).toMatchObject({ outcome: 'verified' })
    expect(verify([held(), partial(ada)])).toMatchObject({ outcome: 'verified_open' })
    expect(verify([held(), partial(ada), entry.rejected()])).toMatchObject({ outcome: 'verified' })
    expect(verify([held(), partial(ada), entry.expired()])).toMatchObject({ outcome: 'verified' })
  })

  test('verifies where its content was erased: who they were stands in the events', () => {
    const all = [held(), partial(ada), last(bob), ...ran, entry.erased()]
    expect(verify(all, [0, 1, 2, 3, 4, 5])).toMatchObject({ outcome: 'verified' })
    const twice = [held(), partial(ada), last(ada), ...ran, entry.erased()]
    expect(verify(twice, [0, 1, 2, 3, 4, 5])).toMatchObject({ outcome: 'invalid', failed: 'approver' })
  })

  test.each<[string, EntryToSeal[], RegExp]>([
    [
      'one approval for two',
      [held(), last(ada, { approvals: { given: 1, required: 2 } }), ...ran],
      /first of 2/,
    ],
    [
      'two for three',
      [held(3), partial(ada, { approvals: { given: 1, required: 3 } }), last(bob), ...ran],
      /second of 3/,
    ],
    ['the same principal twice', [held(), partial(ada), last(ada), ...ran], /apk_ada counts already/],
    [
      'one person with two keys',
      [held(), partial(ada), last(cay, { holder: 'name:apk_ada' }), ...ran],
      /name:apk_ada counts already/,
    ],
    ['a partial approval by the key that proposed', [held(), partial(people.agent)], /of kind agent/],
    [
      'a partial approval by who proposed',
      [held(), partial(ada, { holder: 'name:agent' })],
      /name:agent counts already, or proposed it/,
    ],
    [
      'the last approval by who proposed',
      [held(), partial(ada), last(bob, { holder: 'name:agent' }), ...ran],
      /name:agent counts already, or proposed it/,
    ],
    [
      'a partial approval where one is enough',
      [entry.verdict('needs_approval'), partial(ada)],
      /where it takes 1/,
    ],
    [
      'a partial approval that would have been the last',
      [held(), partial(ada), partial(bob)],
      /where it takes 2/,
    ],
    [
      'an approval that counts itself wrongly',
      [held(), partial(ada), last(bob, { approvals: { given: 3, required: 2 } })],
      /number 2 of 2/,
    ],
    [
      'an account that is somebody else',
      [held(), partial(bob, { holder: 'account:acc_cay' })],
      /by acc_bob, an account, which says that it is of account:acc_cay/,
    ],
    ['an approval of nobody in particular', [held(), partial(ada, { holder: null })], /does not say whose/],
    ['a demand that is none', [held(0), last(ada), ...ran], /a number of approvals that there is not/],
    ['a demand in words', [held('two'), last(ada), ...ran], /a number of approvals that there is not/],
  ])('is refused: %s', (_, entries, problem) => {
    const { outcome, failed, problem: found } = verify(entries)
    expect({ outcome, failed }).toEqual({ outcome: 'invalid', failed: 'approver' })
    expect(found).toMatch(problem)
  })

  test('is refused where partial approvals are all there was before the execution', () => {
    const { problem, failed } = verify([held(), partial(ada), ...ran])
    expect({ problem, failed }).toMatchObject({ failed: 'authorisation' })
    expect(problem).toMatch(/without a prior allow or approval/)
  })

  test('is refused where an approval is about another proposal', () => {
    const other = partial(ada, { proposal_hash: `sha256:${'0'.repeat(64)}` })
    expect(verify([held(), other])).toMatchObject({ failed: 'authorisation' })
  })

  test('one from before quorums verifies as it did', () => {
    const one = [entry.verdict('needs_approval'), entry.approved(), ...ran]
    expect(verify(one)).toMatchObject({ outcome: 'verified' })
  })
})

describe('an export of what a person edited', () => {
  const origin = { action_id: 'act_1', editor: { id: ada.id, kind: ada.kind }, name: 'ada' }
  const told = (payload: JsonObject, by = ada): EntryToSeal => ({
    ...entry.superseded(),
    principal: by,
    payload,
  })
  const edited = (supersedes: unknown) => (entries: EntryToSeal[]) => {
    const first = entry.proposed()
    const proposal = { ...body(first), supersedes } as JsonObject
    const proposal_hash = documentHash('proposal', canonicalJson(proposal))
    const bound = entries.map(one =>
      'proposal_hash' in body(one) ? { ...one, payload: { ...body(one), proposal_hash } } : one,
    )
    const { bytes } = buildExport({ entries: inPlaces([{ ...first, payload: proposal }, ...bound]) })
    const { outcome, problem } = verifyExport(bytes, { trusted })
    return { outcome, problem }
  }
  const one = entry.verdict('needs_approval')

  test('verifies on both sides', () => {
    expect(verify([one, told({ superseded_by: 'act_2' })])).toMatchObject({ outcome: 'verified' })
    expect(edited(origin)([one, entry.approved(ada), ...ran])).toMatchObject({ outcome: 'verified' })
    expect(edited(origin)([held(), partial(ada), last(bob), ...ran])).toMatchObject({ outcome: 'verified' })
  })

  test.each<[string, () => { problem: string | null }, RegExp]>([
    ['an edit that names nothing', () => verify([one, told({})]), /does not say what takes its place/],
    ['an edit by an agent', () => verify([one, told({ superseded_by: 'act_2' }, people.agent)]), /may not/],
    [
      'a first approval by another than the editor',
      () => edited(origin)([one, entry.approved(bob), ...ran]),
      /first approval is not by apk_ada/,
    ],
    [
      'an editor who proposed it',
      () => edited({ ...origin, editor: { id: people.agent.id, kind: 'approver' } })([one]),
      /the key that proposed it/,
    ],
    [
      'an editor of no kind that decides',
      () => edited({ ...origin, editor: people.worker })([one]),
      /who edited/,
    ],
    ['an origin without an action', () => edited({ editor: origin.editor })([one]), /who edited what/],
  ])('fails on %s', (_, verification, problem) => {
    expect(verification().problem).toMatch(problem)
  })

  test('is one half of a pair, of which each names the other', () => {
    const part = (kind: string, principal: Principal, payload: JsonObject | null) => ({
      place: 0,
      kind,
      principal,
      payload,
    })
    const end = part('supersession', ada, { superseded_by: 'act_2' })
    const before = { action_id: 'act_1', events: [end] }
    const begin = (supersedes: JsonObject) => ({
      action_id: 'act_2',
      events: [part('proposal_received', people.agent, { supersedes })],
    })
    expect(pairProblem(before, begin(origin))).toBeNull()
    expect(pairProblem(before, { ...begin(origin), action_id: 'act_3' })).toMatch(/names act_2 and not act_3/)
    expect(pairProblem(before, begin({ ...origin, action_id: 'act_9' }))).toMatch(/does not name act_1/)
    const other = { id: bob.id, kind: bob.kind }
    expect(pairProblem(before, begin({ ...origin, editor: other }))).toMatch(/names another editor/)
    expect(pairProblem({ ...before, events: [] }, begin(origin))).toMatch(/was not edited/)
  })
})
