import { describe, expect, test } from 'vitest'
import type { EntryToSeal } from '../../../shared/audit/event/seal.ts'
import { verifyExport } from '../../../shared/audit/verify/verify-export.ts'
import { canonicalJson } from '../../../shared/canon/canonical-json.ts'
import { documentHash } from '../../../shared/canon/digest.ts'
import type { EventKind, Principal } from '../../../shared/contract/action/audit.ts'
import type { JsonObject } from '../../../shared/contract/base/json.ts'
import { buildExport, trusted } from '../../support/audit/export-builder.ts'
import { entry, inPlaces } from '../../support/audit/trace-entries.ts'

const person = (name: string): Principal => ({ id: `apk_${name}`, kind: 'approver' })

const route: JsonObject = {
  name: 'refunds',
  required: [
    { group: 'leads', approvals: 1 },
    { group: 'security', approvals: 1 },
  ],
  escalate: { after_ms: 60_000, group: 'duty' },
}
const route_hash = documentHash('route', canonicalJson(route))

/** Held on a route, as the gate records it. */
function held(change: JsonObject = {}): EntryToSeal {
  const verdict = entry.verdict('needs_approval')
  const terms = { approvals_required: 2, proposer_holder: 'name:agent', route, route_hash, ...change }
  return { ...verdict, payload: { ...(verdict.payload as JsonObject), ...terms } }
}

function decision(kind: EventKind, name: string, said: JsonObject): EntryToSeal {
  const made = kind === 'rejection' ? entry.rejected() : entry.approved(person(name))
  const given = kind === 'approval' ? 2 : 1
  const counted = kind === 'rejection' ? {} : { approvals: { given, required: 2 } }
  const payload = { ...(made.payload as JsonObject), holder: `name:${name}`, route_hash, ...counted, ...said }
  return { ...made, kind, principal: person(name), payload }
}

const first = (name: string, group: string, said: JsonObject = {}) =>
  decision('partial_approval', name, { group, ...said })
const last = (name: string, group: string, said: JsonObject = {}) =>
  decision('approval', name, { group, ...said })
const no = (name: string, group: string, said: JsonObject = {}) =>
  decision('rejection', name, { group, ...said })

function verify(entries: EntryToSeal[], without: number[] = []) {
  const { bytes } = buildExport({ entries: inPlaces([entry.proposed(), ...entries]), without })
  const { outcome, problem, checks } = verifyExport(bytes, { trusted })
  return { outcome, problem, failed: checks.find(({ status }) => status === 'failed')?.name }
}

/** An edit as it is recorded since it says for which group it is. */
const edited = (name: string, said: JsonObject): EntryToSeal => ({
  ...entry.superseded(),
  principal: person(name),
  payload: { superseded_by: 'act_2', holder: `name:${name}`, route_hash, ...said },
})

const ran = [entry.attempted(1), entry.executed('ok')]
const helps = { stands_in: 'duty' }

describe('an export of what a route decided', () => {
  test.each<[string, EntryToSeal[]]>([
    ['complete', [held(), first('ada', 'leads'), last('sam', 'security'), ...ran]],
    ['in the other order', [held(), first('sam', 'security'), last('ada', 'leads'), ...ran]],
    ['rejected', [held(), first('ada', 'leads'), no('sam', 'security')]],
    ['with help', [held(), entry.escalated(), first('dee', 'leads', helps), last('sam', 'security'), ...ran]],
    [
      'by a delegate',
      [held(), first('eve', 'leads', { on_behalf_of: 'name:ada' }), last('sam', 'security'), ...ran],
    ],
    ['edited', [held(), first('ada', 'leads'), edited('sam', { group: 'security' })]],
    ['edited with help', [held(), entry.escalated(), edited('dee', { group: 'leads', ...helps })]],
    ['edited, from before that was recorded', [held(), entry.superseded()]],
    [
      'with a group that was empty when it was held',
      [
        held({ route: { ...route, groups_without_members: ['leads'] } }),
        first('ada', 'leads'),
        last('sam', 'security'),
        ...ran,
      ],
    ],
    [
      'where the policy takes one more than the route',
      [
        held({ approvals_required: 3 }),
        first('ada', 'leads', { approvals: { given: 1, required: 3 } }),
        first('bob', 'leads', { approvals: { given: 2, required: 3 } }),
        last('sam', 'security', { approvals: { given: 3, required: 3 } }),
        ...ran,
      ],
    ],
  ])('verifies: %s', (_, entries) => {
    expect(verify(entries)).toMatchObject({ outcome: 'verified' })
  })

  test('verifies where its content was erased', () => {
    const all = [held(), first('ada', 'leads'), last('sam', 'security'), ...ran, entry.erased()]
    expect(verify(all, [0, 1, 2, 3, 4, 5])).toMatchObject({ outcome: 'verified' })
  })

  const two = { approvals_required: 2 }
  test.each<[string, EntryToSeal[], RegExp]>([
    [
      'two of one group',
      [held(), first('ada', 'leads'), last('bob', 'leads'), ...ran],
      /one of leads more than it takes/,
    ],
    ['a group of another route', [held(), first('ada', 'friends')], /for no group of the route/],
    ['no group at all', [held(), first('ada', '', { group: null })], /for no group of the route/],
    [
      'a rejection by somebody outside',
      [held(), no('eve', 'friends')],
      /rejection by apk_eve, for no group of the route/,
    ],
    [
      'an edit by somebody outside',
      [held(), edited('eve', { group: 'friends' })],
      /supersession by apk_eve, for no/,
    ],
    ['an edit for no group', [held(), edited('eve', {})], /for no group of the route/],
    [
      'an edit with help before it was asked for',
      [held(), edited('dee', { group: 'leads', ...helps })],
      /not asked/,
    ],
    ['an edit of nobody', [held(), edited('eve', { group: 'leads', holder: null })], /does not say whose/],
    [
      'an edit by who proposed it',
      [held(), edited('ada', { group: 'leads', holder: 'name:agent' })],
      /edited by name:agent, who proposed it/,
    ],
    ['another route', [held(), first('ada', 'leads', { route_hash: 'sha256:0' })], /about another route/],
    ['help before it was asked for', [held(), first('dee', 'leads', helps)], /duty, which was not asked yet/],
    [
      'help of a group that the route does not name',
      [held(), entry.escalated(), first('dee', 'leads', { stands_in: 'friends' })],
      /of friends, which the route does not name/,
    ],
    [
      'a delegate beside who was absent',
      [held(), first('eve', 'leads', { on_behalf_of: 'name:sam' }), last('sam', 'security'), ...ran],
      /name:sam counts already/,
    ],
    [
      'a delegate for who proposed it',
      [held(), first('eve', 'leads', { on_behalf_of: 'name:agent' })],
      /name:agent counts already, or proposed it/,
    ],
    [
      'nobody in particular',
      [held({ approvals_required: 2 }), no('sam', 'security', { holder: null })],
      /does not say whose it is/,
    ],
    [
      'a verdict that names another route than it shows',
      [held({ route_hash: 'sha256:0' })],
      /names another route than it shows/,
    ],
    ['a verdict with fewer approvals than its route', [held({ approvals_required: 1 })], /fewer approvals/],
    ['a route that is none', [held({ ...two, route: { required: [] } })], /a route that is none/],
    [
      'a route with a group twice',
      [
        held({
          ...two,
          route: {
            ...route,
            required: [
              { group: 'a', approvals: 1 },
              { group: 'a', approvals: 1 },
            ],
          },
        }),
      ],
      /a route that is none/,
    ],
  ])('is refused: %s', (_, entries, problem) => {
    const { outcome, failed, problem: found } = verify(entries)
    expect({ outcome, failed }).toEqual({ outcome: 'invalid', failed: 'approver' })
    expect(found).toMatch(problem)
  })

  test('is refused where a route of one approval is decided by another group', () => {
    const small: JsonObject = { name: 'small', required: [{ group: 'security', approvals: 1 }] }
    const hash = documentHash('route', canonicalJson(small))
    const verdict = held({ route: small, route_hash: hash })
    const { approvals_required: _, ...rest } = verdict.payload as JsonObject
    const one = last('ada', 'leads', { route_hash: hash })
    expect(verify([{ ...verdict, payload: rest }, one, ...ran])).toMatchObject({ failed: 'approver' })
    const right = last('sam', 'security', { route_hash: hash })
    expect(verify([{ ...verdict, payload: rest }, right, ...ran])).toMatchObject({ outcome: 'verified' })
  })
})

describe('an export of a route that asks for an issuer', () => {
  const issuer = 'https://id.example.org'
  const asking = { ...route, issuer }
  const hash = documentHash('route', canonicalJson(asking))
  const terms = held({ route: asking, route_hash: hash })
  const at = (where: string | null): JsonObject => ({
    route_hash: hash,
    ...(where === null ? {} : { identity: { issuer: where, subject: 's', auth_time: null, acr: null } }),
  })

  test('is true where each signed in there', () => {
    const decided = [first('ada', 'leads', at(issuer)), last('sam', 'security', at(issuer))]
    expect(verify([terms, ...decided, ...ran])).toMatchObject({ outcome: 'verified' })
  })

  test.each([
    ['an approval by key', first('ada', 'leads', at(null))],
    ['an approval of another issuer', first('ada', 'leads', at('https://id.example.com'))],
    ['a rejection by key', no('ada', 'leads', at(null))],
    ['an edit by key', edited('ada', { group: 'leads', ...at(null) })],
  ])('is refused with %s', (_, decided) => {
    expect(verify([terms, decided])).toMatchObject({
      outcome: 'invalid',
      problem: expect.stringMatching(/signed in elsewhere than at https:\/\/id.example.org/),
    })
  })
})
