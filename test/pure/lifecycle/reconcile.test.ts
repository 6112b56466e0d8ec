import { describe, expect, it } from 'vitest'
import { actionStatuses } from '../../../shared/contract/action/action-status.ts'
import { reconcileDelayMs } from '../../../shared/lifecycle/job.ts'
import type { Decide } from '../../../shared/lifecycle/move.ts'
import {
  findAbsent,
  findExecuted,
  findFailed,
  type Round,
  repeatKey,
  resolve,
  stillUnknown,
} from '../../../shared/lifecycle/reconciliation.ts'
import { action, changeOf, pendingJob, terms, worker } from './action-state.ts'

const operator = { id: 'adk_1', kind: 'admin' } as const
const problem = { code: 'absent', message: 'no trace' }
const round: Round = { worker, rounds: 2, terms, jitter: 0.5 }
const about = { source: 'lookup', problem, needsOperator: false } as const
const failed = { outcome: 'execution_failed', note: 'asked the bank', evidence: 'T-1', detail: {} } as const

function unknown(state: Parameters<typeof action>[0] = {}, job: Parameters<typeof pendingJob>[0] = {}) {
  return action({
    status: 'outcome_unknown',
    job: pendingJob({ state: 'unknown', attempt: 3, maybe_executed: true, rounds: 2, ...job }),
    ...state,
  })
}

const decisions: [string, Decide][] = [
  ['find_executed', findExecuted(worker, 'lookup', {})],
  ['find_failed', findFailed(round, problem)],
  ['find_absent', findAbsent(round)],
  ['repeat', repeatKey(round)],
  ['find_nothing', stillUnknown(round, about)],
  ['resolve_executed', resolve(operator, { ...failed, outcome: 'executed' })],
  ['resolve_failed', resolve(operator, failed)],
]

describe.each(decisions)('%s', (_, decide) => {
  it.each(actionStatuses.filter(status => status !== 'outcome_unknown'))('is refused when %s', status => {
    const state = status === 'executing' ? 'leased' : status === 'execution_pending' ? 'pending' : 'done'
    expect(decide(action({ status, job: pendingJob({ state }) })).ok).toBe(false)
  })
})

describe('a round', () => {
  it.each(decisions.slice(1, 5))('%s is refused when another round was recorded first', (_, decide) => {
    expect(decide(unknown({}, { rounds: 3, key_honoured: true }))).toEqual({
      ok: false,
      error: { reason: 'fenced' },
    })
  })

  it('that proves nothing leaves the outcome unknown, says so, and comes again later', () => {
    const change = changeOf(stillUnknown(round, about)(unknown()))
    expect(change).toMatchObject({
      to: 'outcome_unknown',
      entries: [
        {
          kind: 'reconciliation',
          payload: { source: 'lookup', outcome: 'unknown', round: 3, error: problem },
        },
      ],
      job: { state: 'unknown', rounds: 3, needs_operator: false, run_in_ms: reconcileDelayMs(3, terms) },
    })
  })

  it('that was the last leaves it to an operator', () => {
    const change = changeOf(stillUnknown(round, { ...about, needsOperator: true })(unknown()))
    expect(change).toMatchObject({ to: 'outcome_unknown', job: { state: 'unknown', needs_operator: true } })
    expect(change.entries[0]?.payload).toMatchObject({ needs_operator: true })
  })

  it('repeats the key only where it is honoured, with one more attempt', () => {
    expect(repeatKey(round)(unknown()).ok).toBe(false)
    const change = changeOf(repeatKey(round)(unknown({}, { key_honoured: true, max_attempts: 3 })))
    expect(change).toMatchObject({
      to: 'execution_pending',
      entries: [{ kind: 'reconciliation', payload: { source: 'same_key', outcome: 'retry', round: 3 } }],
      job: { state: 'pending', max_attempts: 3, maybe_executed: true, rounds: 3 },
    })
  })
})

it('a key is not repeated once its calls cost as many workers as it has attempts', () => {
  const lost = { key_honoured: true, attempt: 3, max_attempts: 3 }
  expect(repeatKey(round)(unknown({}, { ...lost, leases_lost: 2 })).ok).toBe(true)
  expect(repeatKey(round)(unknown({}, { ...lost, leases_lost: 3 })).ok).toBe(false)
})

describe('a finding', () => {
  it('that it happened settles it', () => {
    const change = changeOf(findExecuted(worker, 'late_result', { id: 7 })(unknown()))
    expect(change).toMatchObject({
      to: 'executed',
      job: { state: 'done' },
      entries: [
        { payload: { source: 'late_result', outcome: 'ok', result: { ok: true, detail: { id: 7 } } } },
      ],
    })
  })

  it('that it was refused settles it', () => {
    expect(changeOf(findFailed(round, problem)(unknown()))).toMatchObject({
      to: 'execution_failed',
      job: { state: 'done' },
    })
  })

  it('that it never happened makes it safe to try again, while attempts remain', () => {
    expect(changeOf(findAbsent(round)(unknown()))).toMatchObject({
      to: 'execution_pending',
      job: { state: 'pending', maybe_executed: false, rounds: 3 },
    })
    expect(changeOf(findAbsent(round)(unknown({}, { max_attempts: 3 })))).toMatchObject({
      to: 'execution_failed',
    })
  })

  it.each([
    ['find_failed', findFailed(round, problem)],
    ['find_absent', findAbsent(round)],
    ['resolve_failed', resolve(operator, failed)],
  ] as [string, Decide][])('%s is refused where a late result proves the contrary', (_, decide) => {
    expect(decide(unknown({ proven: true }))).toEqual({ ok: false, error: { reason: 'contradicted' } })
  })
})

describe('an operator', () => {
  it('records what was found out, with note and evidence', () => {
    const change = changeOf(resolve(operator, failed)(unknown()))
    expect(change).toMatchObject({
      to: 'execution_failed',
      entries: [
        {
          kind: 'reconciliation',
          principal: operator,
          payload: { source: 'operator', outcome: 'failed', note: 'asked the bank', evidence: 'T-1' },
        },
      ],
    })
  })

  it('can settle what nothing more is tried for', () => {
    const stuck = unknown({}, { needs_operator: true })
    const change = changeOf(resolve(operator, { ...failed, outcome: 'executed', detail: { ref: 1 } })(stuck))
    expect(change).toMatchObject({ to: 'executed', job: { state: 'done', needs_operator: false } })
  })
})

it('the delays are 10 s, 30 s, 2 min, 10 min, 1 h, then hourly', () => {
  const seconds = [0, 1, 2, 3, 4, 5, 99].map(
    rounds => reconcileDelayMs(rounds, { reconcile_ms_min: 10_000 }) / 1000,
  )
  expect(seconds).toEqual([10, 30, 120, 600, 3600, 3600, 3600])
})
