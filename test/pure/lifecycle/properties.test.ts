import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ActionEventKind } from '../../../shared/contract/action/audit.ts'
import { terminalStatuses } from '../../../shared/lifecycle/status.ts'
import { transitions } from '../../../shared/lifecycle/transition.ts'
import { begin, type History, stepArbitrary, take } from './history.ts'

const runs = { numRuns: 3_000 }
const historyArbitrary = fc
  .record({
    decision: fc.constantFrom(...(['allow', 'allow', 'needs_approval', 'deny'] as const)),
    attemptsMax: fc.integer({ min: 1, max: 4 }),
    steps: fc.array(stepArbitrary, { maxLength: 30, size: 'max' }),
  })
  .map(({ decision, attemptsMax, steps }) => {
    const history = begin(decision, attemptsMax)
    for (const step of steps) take(history, step)
    return { ...history, decision }
  })

function holds(invariant: (history: History & { decision: string }) => void): void {
  fc.assert(fc.property(historyArbitrary, invariant), runs)
}

function placesOf({ events }: History, kind: ActionEventKind): number[] {
  return events.flatMap((event, at) => (event.kind === kind ? [at] : []))
}

function payloads({ events }: History, kind: ActionEventKind) {
  return events.filter(event => event.kind === kind).map(({ payload }) => payload)
}

/** Where an attempt was first recorded that may have happened, and was not proved since never to have; -1 for nowhere. */
function doubtAt({ events }: History): number {
  const cleared = events.findLastIndex(
    ({ kind, to, payload }) =>
      kind === 'reconciliation' && to === 'execution_pending' && payload.source === 'lookup',
  )
  return events.findIndex(({ payload }, at) => at > cleared && payload.class === 'unknown')
}

describe('whatever happens to an action, in any order', () => {
  it('its events are a walk along the state table that ends in its status', () => {
    const rows = new Set(transitions.map(({ from, event, to }) => `${from}|${event}|${to}`))
    holds(({ events, action }) => {
      expect(
        events.map(({ from, kind, to }) => `${from}|${kind}|${to}`).filter(row => !rows.has(row)),
      ).toEqual([])
      expect(events.map(({ from }) => from)).toEqual([null, ...events.slice(0, -1).map(({ to }) => to)])
      expect(events.at(-1)?.to).toBe(action.status)
    })
  })

  it('it comes to one terminal outcome at most, and nothing follows that', () => {
    const outcomes = new Set<string>()
    holds(({ events }) => {
      const ends = events.flatMap(({ to }, at) => (terminalStatuses.has(to) ? [at] : []))
      expect(ends.length).toBeLessThanOrEqual(1)
      if (ends.length > 0) expect(ends[0]).toBe(events.length - 1)
      outcomes.add(events.at(-1)?.to ?? '')
    })
    expect([...outcomes]).toEqual(expect.arrayContaining(['executed', 'execution_failed', 'outcome_unknown']))
  })

  it('nothing is executed without a grant before it', () => {
    holds(history => {
      const granted = history.decision === 'allow' ? 1 : placesOf(history, 'approval')[0]
      for (const at of placesOf(history, 'execution_attempt')) {
        expect(granted).toBeDefined()
        expect(at).toBeGreaterThan(granted ?? Number.NaN)
      }
    })
  })

  it('nothing is executed after a no', () => {
    holds(history => {
      const no = (['rejection', 'expiry', 'cancellation'] as const).flatMap(kind => placesOf(history, kind))
      if (history.decision === 'deny' || no.length > 0) {
        expect(placesOf(history, 'execution_attempt')).toEqual([])
        expect(history.action.job).toBeNull()
      }
    })
  })

  it('exactly one of approval, rejection, expiry and cancellation wins', () => {
    holds(history => {
      const ends = (['approval', 'rejection', 'expiry', 'cancellation'] as const).flatMap(kind =>
        placesOf(history, kind),
      )
      expect(ends.length).toBeLessThanOrEqual(history.decision === 'needs_approval' ? 1 : 0)
    })
  })

  it('attempts are counted one by one and bounded', () => {
    holds(history => {
      const attempts = payloads(history, 'execution_attempt').map(({ attempt }) => attempt)
      expect(attempts).toEqual(attempts.map((_, at) => at + 1))
      const repeats = payloads(history, 'reconciliation').filter(({ source }) => source === 'same_key')
      const harmless = payloads(history, 'execution').filter(
        ({ class: made }) => made === 'busy' || made === 'retry',
      )
      expect(attempts.length).toBeLessThanOrEqual(history.attemptsMax + repeats.length + harmless.length)
      expect(history.action.job?.attempt ?? 0).toBe(attempts.length)
    })
  })

  it('every attempt has a greater token and the same idempotency key', () => {
    holds(history => {
      const attempts = payloads(history, 'execution_attempt')
      const tokens = attempts.map(({ token }) => Number(token))
      expect(tokens).toEqual([...new Set(tokens)].sort((left, right) => left - right))
      expect(new Set(attempts.map(({ idempotency_key }) => idempotency_key)).size).toBeLessThanOrEqual(1)
    })
  })

  it('every recorded outcome is of the attempt before it, with that attempt’s token', () => {
    holds(({ events }) => {
      for (const [at, event] of events.entries()) {
        if (event.kind !== 'execution' || event.from !== 'executing') continue
        const attempt = events[at - 1]
        expect(attempt?.kind).toBe('execution_attempt')
        expect(event.payload).toMatchObject({
          attempt: attempt?.payload.attempt,
          token: attempt?.payload.token,
        })
      }
    })
  })

  it('what may have happened is never called failed', () => {
    let judged = 0
    holds(history => {
      const { events } = history
      if (doubtAt(history) < 0) return
      judged += 1
      if (history.action.job?.state !== 'done') expect(history.action.job?.maybe_executed).toBe(true)
      expect(events.slice(doubtAt(history)).map(({ kind, to }) => `${kind} ${to}`)).not.toContain(
        'execution execution_failed',
      )
    })
    expect(judged).toBeGreaterThan(100)
  })

  it('an actuator that ignores the key is never called after a possible effect', () => {
    let calls = 0
    holds(history => {
      const { events } = history
      const doubt = doubtAt(history)
      for (const at of placesOf(history, 'execution_attempt')) {
        if (doubt < 0 || at < doubt) continue
        calls += 1
        expect(events[at]?.payload.actuator).toEqual({ idempotency: 'key_honoured' })
      }
    })
    expect(calls).toBeGreaterThan(100)
  })

  it('the job is at rest exactly when the action is', () => {
    const states: Partial<Record<string, string>> = {
      execution_pending: 'pending',
      executing: 'leased',
      outcome_unknown: 'unknown',
      executed: 'done',
      execution_failed: 'done',
    }
    holds(({ action }) => {
      expect(action.job?.state).toBe(states[action.status])
    })
  })
})
