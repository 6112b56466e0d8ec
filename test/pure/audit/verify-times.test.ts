import { describe, expect, test } from 'vitest'
import type { EntryToSeal } from '../../../shared/audit/event/seal.ts'
import { verifyExport } from '../../../shared/audit/verify/verify-export.ts'
import { canonicalJson } from '../../../shared/canon/canonical-json.ts'
import { documentHash } from '../../../shared/canon/digest.ts'
import type { JsonObject } from '../../../shared/contract/base/json.ts'
import { limits } from '../../../shared/contract/base/limits.ts'
import { buildExport, trusted } from '../../support/audit/export-builder.ts'
import { entry, inPlaces } from '../../support/audit/trace-entries.ts'

const begun = Date.parse('2026-11-21T08:00:00.000Z')
const hour = 3_600_000
const tolerance = limits.clock_tolerance_ms
const helped = { after_ms: hour, group: 'duty' }

/** Held for an hour by what the verdict says of the tenant's time, or by a route. */
function held(change: JsonObject = { decide_within_ms: hour }): EntryToSeal {
  const verdict = entry.verdict('needs_approval')
  return { ...verdict, payload: { ...(verdict.payload as JsonObject), ...change } }
}

function onRoute(terms: JsonObject, change: JsonObject = {}): EntryToSeal {
  const route: JsonObject = { name: 'refunds', required: [{ group: 'leads', approvals: 1 }], ...terms }
  return held({
    proposer_holder: 'name:agent',
    route,
    route_hash: documentHash('route', canonicalJson(route)),
    ...change,
  })
}

const asks = (group?: string): EntryToSeal => ({
  ...entry.escalated(),
  payload: { reason: 'undecided', ...(group ? { group } : {}) },
})

/** What is found of an action that was held, and what came so many milliseconds after that. */
function verify(
  verdict: EntryToSeal,
  later: readonly (readonly [EntryToSeal, number])[],
  without: number[] = [],
) {
  const entries = inPlaces([entry.proposed(), verdict, ...later.map(([one]) => one)])
  const at = [0, 0, ...later.map(([, after]) => after)].map(after => new Date(begun + after).toISOString())
  const { bytes } = buildExport({ entries, at, without })
  const { outcome, problem, checks } = verifyExport(bytes, { trusted })
  return { outcome, problem, failed: checks.find(({ status }) => status === 'failed')?.name }
}

const ends = {
  approval: entry.approved(),
  rejection: entry.rejected(),
  cancellation: entry.cancelled(),
  comment: entry.commented(),
  change_request: entry.changesRequested(),
  supersession: entry.superseded(),
}

describe('what a person does with a held action', () => {
  test.each(Object.entries(ends))('is within its time: %s', (kind, one) => {
    for (const after of [0, hour, hour + tolerance])
      expect(verify(held(), [[one, after]]).outcome).toMatch(/^verified/)
    expect(verify(held(), [[one, hour + tolerance + 1]])).toMatchObject({
      outcome: 'invalid',
      failed: 'approver',
      problem: `event 2: ${kind} of 2026-11-21T09:01:00.001Z, after the hold was over (2026-11-21T09:00:00.000Z)`,
    })
  })

  test('is within the time of the route, which is that of the verdict', () => {
    const route = onRoute({ decide_within_ms: hour })
    const { problem } = verify(route, [[entry.commented(), 2 * hour]])
    expect(problem).toMatch(/comment of .* after the hold was over/)
    const both = onRoute({ decide_within_ms: hour }, { decide_within_ms: 3 * hour })
    expect(verify(both, []).problem).toMatch(/event 1: the verdict has a time that is none, or another than/)
    expect(verify(onRoute({ escalate: { ...helped, after_ms: 'soon' } }), []).problem).toMatch(/a time that/)
  })

  test('is held against nobody where the verdict does not say how long', () => {
    const late = [[entry.rejected(), 9 * hour]] as const
    expect(verify(held({}), late)).toMatchObject({ outcome: 'verified' })
    expect(verify(held(), [...late, [entry.erased(), 10 * hour]], [0, 1, 2])).toMatchObject({
      outcome: 'verified',
    })
  })

  test('is nothing to what the gate allowed, which may run for long', () => {
    const verdict = entry.verdict('allow')
    const payload = { ...(verdict.payload as JsonObject), decide_within_ms: 1 }
    const later = [
      [entry.attempted(1), 9 * hour],
      [entry.executed('ok'), 9 * hour],
    ] as const
    expect(verify({ ...verdict, payload }, later)).toMatchObject({ outcome: 'verified' })
  })
})

describe('an expiry', () => {
  test('comes when the hold is over, whenever the sweeper passes', () => {
    for (const after of [hour - tolerance, hour, 99 * hour])
      expect(verify(held(), [[entry.expired(), after]])).toMatchObject({ outcome: 'verified' })
    expect(verify(held(), [[entry.expired(), hour - tolerance - 1]])).toMatchObject({
      outcome: 'invalid',
      problem: expect.stringMatching(/expiry of .* before the hold was over/),
    })
  })
})

describe('help', () => {
  const route = onRoute({ escalate: helped })

  test('is asked for when the route says so', () => {
    for (const after of [hour - tolerance, hour, 9 * hour])
      expect(verify(route, [[asks('duty'), after]])).toMatchObject({ outcome: 'verified_open' })
    expect(verify(route, [[asks(), hour]])).toMatchObject({ outcome: 'verified_open' })
  })

  test.each<[string, [verdict: EntryToSeal, one: EntryToSeal, after: number], RegExp]>([
    ['before that', [route, asks('duty'), hour - tolerance - 1], /before the route asks for help \(.*09:00/],
    ['of another group', [route, asks('friends'), hour], /asks friends, and the route names duty/],
    ['of nobody', [onRoute({}), asks('duty'), hour], /the route asks nobody for help/],
  ])('is refused: %s', (_, [verdict, one, after], problem) => {
    expect(verify(verdict, [[one, after]])).toMatchObject({
      outcome: 'invalid',
      failed: 'approver',
      problem: expect.stringMatching(problem),
    })
  })
})
