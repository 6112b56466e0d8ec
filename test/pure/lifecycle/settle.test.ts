import { describe, expect, it } from 'vitest'
import type { Outcome } from '../../../shared/contract/configuration/actuator-schema.ts'
import { judgeExpiredLease, refuse, settle } from '../../../shared/lifecycle/execute.ts'
import { retryDelayMs } from '../../../shared/lifecycle/job.ts'
import { action, changeOf, jobOf, leasedJob, pendingJob, terms, worker } from './action-state.ts'

type Class = Outcome['class']
type Row = [outcome: Class, attemptsLeft: boolean, keyHonoured: boolean, maybe: boolean, to: string]

const outcomes: Record<Class, Outcome> = {
  ok: { class: 'ok', detail: { executed: 'read' } },
  failed: { class: 'failed', code: 'refused', message: 'the downstream refused' },
  retry: { class: 'retry', code: 'busy', message: 'the downstream is busy' },
  busy: { class: 'busy', code: 'http_429', message: 'too many requests' },
  unknown: { class: 'unknown', code: 'cut', message: 'the connection broke' },
}

/** specification.md#outcome-classes: the class of an action is the worst of its attempts. */
const table: Row[] = [
  ['ok', true, true, true, 'executed'],
  ['ok', true, true, false, 'executed'],
  ['ok', true, false, true, 'executed'],
  ['ok', true, false, false, 'executed'],
  ['ok', false, true, true, 'executed'],
  ['ok', false, true, false, 'executed'],
  ['ok', false, false, true, 'executed'],
  ['ok', false, false, false, 'executed'],
  ['failed', true, true, true, 'outcome_unknown'],
  ['failed', true, true, false, 'execution_failed'],
  ['failed', true, false, true, 'outcome_unknown'],
  ['failed', true, false, false, 'execution_failed'],
  ['failed', false, true, true, 'outcome_unknown'],
  ['failed', false, true, false, 'execution_failed'],
  ['failed', false, false, true, 'outcome_unknown'],
  ['failed', false, false, false, 'execution_failed'],
  ['retry', true, true, true, 'execution_pending'],
  ['retry', true, true, false, 'execution_pending'],
  ['retry', true, false, true, 'execution_pending'],
  ['retry', true, false, false, 'execution_pending'],
  ['retry', false, true, true, 'outcome_unknown'],
  ['retry', false, true, false, 'execution_failed'],
  ['retry', false, false, true, 'outcome_unknown'],
  ['retry', false, false, false, 'execution_failed'],
  ['busy', true, true, true, 'execution_pending'],
  ['busy', true, false, false, 'execution_pending'],
  ['busy', false, true, true, 'outcome_unknown'],
  ['busy', false, true, false, 'execution_failed'],
  ['busy', false, false, true, 'outcome_unknown'],
  ['busy', false, false, false, 'execution_failed'],
  ['unknown', true, true, true, 'execution_pending'],
  ['unknown', true, true, false, 'execution_pending'],
  ['unknown', true, false, true, 'outcome_unknown'],
  ['unknown', true, false, false, 'outcome_unknown'],
  ['unknown', false, true, true, 'outcome_unknown'],
  ['unknown', false, true, false, 'outcome_unknown'],
  ['unknown', false, false, true, 'outcome_unknown'],
  ['unknown', false, false, false, 'outcome_unknown'],
]

/** Nothing left: neither attempts, for what may have had an effect, nor time, for what had none. */
function leased(left: boolean, keyHonoured: boolean, maybe: boolean) {
  const job = leasedJob({
    attempt: left ? 2 : 5,
    key_honoured: keyHonoured,
    maybe_executed: maybe,
    ...(left ? {} : { retry_until: '2026-11-21T00:00:00.000Z' }),
  })
  return action({ status: 'executing', job })
}

function settling(outcome: Class, token = 7, jitter = 0.5) {
  return settle({ worker, token, outcome: outcomes[outcome], terms, jitter })
}

describe('settle', () => {
  it.each(table)(
    '%s (attempts left %s, key honoured %s, maybe %s): %s',
    (...[outcome, left, key, maybe, to]) => {
      const change = changeOf(settling(outcome)(leased(left, key, maybe)))
      expect(change.to).toBe(to)
      expect(change.job).toMatchObject({
        state: { executed: 'done', execution_failed: 'done', execution_pending: 'pending' }[to] ?? 'unknown',
        maybe_executed: maybe || outcome === 'unknown',
        key_honoured: key,
        expected_token: 7,
        lease_token: 7,
        lease_owner: null,
        lease_ms: null,
      })
    },
  )

  it.each(['ok', 'failed'] as const)('%s ends the job at that moment', outcome => {
    expect(changeOf(settling(outcome)(leased(true, true, false))).job).toMatchObject({
      state: 'done',
      run_in_ms: 0,
    })
  })

  it('a refusal before any call ends the job at that moment', () => {
    const refusing = refuse(worker, { code: 'gone', message: 'nothing can run it' }, { terms, jitter: 0.5 })
    const refused = changeOf(refusing(action({ status: 'execution_pending', job: pendingJob() })))
    expect(refused).toMatchObject({ to: 'execution_failed', job: { state: 'done', run_in_ms: 0 } })
  })

  it('records the result, the attempt and the token of a success', () => {
    expect(changeOf(settling('ok')(leased(true, true, false))).entries).toEqual([
      {
        kind: 'execution',
        from: 'executing',
        to: 'executed',
        principal: worker,
        payload: { outcome: 'ok', attempt: 2, token: 7, result: { ok: true, detail: { executed: 'read' } } },
      },
    ])
  })

  it('records the error and its class beside what was made of it', () => {
    const [entry] = changeOf(settling('retry')(leased(false, false, false))).entries
    expect(entry?.payload).toEqual({
      outcome: 'failed',
      attempt: 5,
      token: 7,
      class: 'retry',
      error: { code: 'busy', message: 'the downstream is busy' },
    })
  })

  it('is fenced when another token is current, the lease is free, or no job is left', () => {
    const executing = leased(true, true, false)
    const fenced = { ok: false, error: { reason: 'fenced' } }
    expect(settling('ok', 6)(executing)).toEqual(fenced)
    expect(settling('ok', 8)(executing)).toEqual(fenced)
    expect(settling('ok')({ ...executing, job: null })).toEqual(fenced)
    for (const state of ['pending', 'unknown', 'done'] as const) {
      expect(settling('ok')({ ...executing, job: pendingJob({ state, lease_token: 7 }) })).toEqual(fenced)
    }
  })

  it('does not look at the lease’s end: its token says who may record', () => {
    const late = action({ status: 'executing', job: leasedJob({ lease_expired: true }) })
    expect(changeOf(settling('ok')(late)).to).toBe('executed')
  })

  it.each(['retry', 'busy'] as const)('uses up no attempt by %s, which had no effect', outcome => {
    const spent = leasedJob({ attempt: 5, key_honoured: true })
    const first = changeOf(settling(outcome)(action({ status: 'executing', job: spent })))
    expect(first).toMatchObject({ to: 'execution_pending', job: { attempt: 5, uncounted: 1 } })
    const again = leasedJob({ attempt: 6, uncounted: 1, key_honoured: true })
    expect(changeOf(settling('unknown')(action({ status: 'executing', job: again }))).to).toBe(
      'outcome_unknown',
    )
    const later = leasedJob({ attempt: 6, uncounted: 2, key_honoured: true })
    expect(changeOf(settling('unknown')(action({ status: 'executing', job: later }))).to).toBe(
      'execution_pending',
    )
  })

  it('tries what had no effect for the last time when its time ends', () => {
    const job = leasedJob({ attempt: 40, uncounted: 39, retry_until: '2026-11-21T00:00:03.000Z' })
    const change = changeOf(settling('retry')(action({ status: 'executing', job })))
    expect(change).toMatchObject({ to: 'execution_pending', job: { run_in_ms: 3_000 } })
  })

  it.each([
    ['retry', 30_000, 30_000],
    ['busy', 30_000, 30_000],
    ['busy', 3_600_000, terms.retry_after_ms_max],
    ['busy', 0, 200],
  ] as const)('waits after %s for what the downstream asks for, %s ms, up to a bound', (of, asked, waits) => {
    const outcome = { class: of, code: 'http_429', message: 'later', retry_after_ms: asked }
    const decide = settle({ worker, token: 7, outcome, terms, jitter: 0.5 })
    expect(jobOf(changeOf(decide(leased(true, true, false)))).run_in_ms).toBe(waits)
  })

  it('a read that nobody reported before fails, and is never unknown', () => {
    const before = leased(false, true, true)
    const outcome = { class: 'failed', code: 'http_404', message: 'gone' } as const
    const said = { worker, token: 7, outcome, terms, jitter: 0.5 }
    expect(changeOf(settle(said)(before)).to).toBe('outcome_unknown')
    expect(changeOf(settle({ ...said, changes_nothing: true })(before)).to).toBe('execution_failed')
  })

  it.each([0, 0.5, 0.999])('spreads a retry by at most a fifth (jitter %s)', jitter => {
    const change = changeOf(settling('retry', 7, jitter)(leased(true, true, false)))
    const { run_in_ms } = jobOf(change)
    expect(run_in_ms).toBe(Math.round(200 * (0.8 + 0.4 * jitter)))
  })
})

describe('judging an expired lease', () => {
  const judging = judgeExpiredLease({ terms, jitter: 0.5 })
  const expired = { lease_expired: true, attempt: 2 }

  it('tries again with the same key where the actuator honours it', () => {
    const change = changeOf(
      judging(action({ status: 'executing', job: leasedJob({ ...expired, key_honoured: true }) })),
    )
    expect(change).toMatchObject({
      to: 'execution_pending',
      job: { state: 'pending', maybe_executed: true, leases_lost: 1, last_error: 'lease_expired' },
      entries: [
        {
          kind: 'execution',
          principal: { kind: 'system' },
          payload: { outcome: 'retry', class: 'unknown', error: { code: 'lease_expired' } },
        },
      ],
    })
    expect(jobOf(change).run_in_ms).toBeGreaterThan(0)
  })

  it('does not know where the actuator does not honour it, or no attempt is left', () => {
    const unhonoured = leasedJob(expired)
    const spent = leasedJob({ ...expired, key_honoured: true, attempt: 5 })
    for (const job of [unhonoured, spent]) {
      expect(changeOf(judging(action({ status: 'executing', job }))).to).toBe('outcome_unknown')
    }
  })

  it('leaves a lease that is still held, and a job without a lease', () => {
    const fenced = { ok: false, error: { reason: 'fenced' } }
    expect(judging(action({ status: 'executing', job: leasedJob() }))).toEqual(fenced)
    expect(judging(action({ status: 'executing', job: pendingJob({ lease_expired: true }) }))).toEqual(fenced)
    expect(judging(action({ status: 'executing' }))).toEqual(fenced)
  })

  it('fences the worker that comes back: what it held is no longer leased', () => {
    const running = action({ status: 'executing', job: leasedJob({ ...expired, key_honoured: true }) })
    const judged = jobOf(changeOf(judging(running)))
    const later = action({
      status: 'execution_pending',
      job: pendingJob({ attempt: judged.attempt, lease_token: judged.lease_token }),
    })
    expect(settling('ok')(later)).toEqual({ ok: false, error: { reason: 'fenced' } })
  })
})

describe('the back-off', () => {
  it('doubles from the first delay and is capped', () => {
    expect([1, 2, 3, 4, 8, 99].map(attempt => retryDelayMs(attempt, terms))).toEqual([
      100, 200, 400, 800, 10_000, 10_000,
    ])
  })
})
