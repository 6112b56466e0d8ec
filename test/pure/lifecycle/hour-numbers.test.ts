import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  type CountedEvent,
  type KeptHour,
  type NumberWindow,
  numberWindows,
} from '../../../shared/contract/action/numbers-schema.ts'
import { limits } from '../../../shared/contract/base/limits.ts'
import {
  beginOf,
  countEvent,
  eraseNames,
  hourOf,
  noNumbers,
  numbersIn,
} from '../../../shared/lifecycle/hour-numbers.ts'

const now = Date.parse('2026-11-25T10:20:00.000Z')

function verdict(change: Partial<CountedEvent> = {}): CountedEvent {
  return {
    times: 1,
    kind: 'verdict',
    status_from: 'received',
    status_to: 'denied',
    at: new Date(now).toISOString(),
    agent_id: 'bot',
    reasons: ['system_not_allowed: x'],
    held_at: null,
    ...change,
  }
}

function decision(ms: number): CountedEvent {
  const held_at = new Date(now - ms).toISOString()
  return verdict({
    kind: 'approval',
    status_from: 'pending_approval',
    status_to: 'execution_pending',
    held_at,
  })
}

function hoursOf(events: readonly CountedEvent[]): KeptHour[] {
  const hours = new Map<string, KeptHour>()
  for (const event of events) {
    const hour = hourOf(event.at) ?? ''
    const numbers = countEvent(hours.get(hour)?.numbers ?? noNumbers, event)
    hours.set(hour, { hour, numbers })
  }
  return [...hours.values()]
}

const numbersOf = (events: readonly CountedEvent[], window: NumberWindow = '24h') =>
  numbersIn({ window, now, hours: hoursOf(events), behind: 0 })

const leads = { allowed: 'execution_pending', held: 'pending_approval', denied: 'denied' } as const
const names = ['allowed', 'held', 'denied'] as const
const verdicts = fc.array(
  fc.record({
    name: fc.constantFrom(...names),
    hoursAgo: fc.nat(800),
    agent: fc.constantFrom('a', 'b', '__proto__'),
  }),
  { maxLength: 60 },
)

it('the numbers of a window are those of its verdicts, whatever they are', () => {
  const property = fc.property(verdicts, fc.constantFrom(...numberWindows), (all, window) => {
    const events = all.map(({ name, hoursAgo, agent }) =>
      verdict({
        status_to: leads[name],
        at: new Date(now - hoursAgo * 3_600_000).toISOString(),
        agent_id: agent,
        reasons: name === 'denied' ? ['code: text'] : [],
      }),
    )
    const inside = all.filter(({ hoursAgo }) => now - hoursAgo * 3_600_000 >= beginOf(window, now))
    const numbers = numbersOf(events, window)
    expect(numbers.decisions).toBe(inside.length)
    for (const name of names) {
      const count = inside.filter(each => each.name === name).length
      expect(numbers[name]).toBe(count)
      expect(numbers.series.reduce((total, step) => total + step[name], 0)).toBe(count)
      expect(numbers.agents.reduce((total, agent) => total + agent[name], 0)).toBe(count)
    }
    expect(numbers.reasons[0]?.count ?? 0).toBe(numbers.denied)
  })
  fc.assert(property)
})

it('half and 95 % of decisions took no longer, at most a twentieth too long', () => {
  const waits = fc.array(fc.integer({ min: 1, max: 7 * 86_400_000 }), { minLength: 1, maxLength: 40 })
  fc.assert(
    fc.property(waits, all => {
      const sorted = [...all].sort((a, b) => a - b)
      const times = numbersOf(all.map(decision)).time_to_decision
      expect(times?.decided).toBe(all.length)
      for (const [share, told = 0] of [
        [0.5, times?.p50_ms],
        [0.95, times?.p95_ms],
      ] as const) {
        const exact = sorted[Math.ceil(all.length * share) - 1] ?? 0
        expect(told).toBeGreaterThanOrEqual(exact)
        expect(told).toBeLessThanOrEqual(Math.ceil(exact * 1.0501))
      }
    }),
  )
})

it('agents beyond the bound of an hour count together, and no verdict is lost', () => {
  const max = limits.number_names_per_hour_max
  const events = Array.from({ length: max + 7 }, (_, agent) => verdict({ agent_id: `bot ${agent}` }))
  const numbers = numbersOf(events)
  expect(numbers.denied).toBe(max + 7)
  expect(numbers.agents[0]).toEqual({ agent_id: null, allowed: 0, held: 0, denied: 7 })
})

it('what changes no status counts no end, and what has no time has no hour', () => {
  const still = verdict({ kind: 'execution', status_from: 'outcome_unknown', status_to: 'outcome_unknown' })
  expect(countEvent(noNumbers, still)).toBe(noNumbers)
  const ended = { ...still, status_to: 'execution_failed' as const }
  expect(countEvent(noNumbers, ended).counts).toEqual({ failed: 1 })
  expect(hourOf('')).toBeNull()
})

const changedVerdicts = fc.record({
  status_to: fc.constantFrom('denied' as const, 'pending_approval' as const, 'execution_pending' as const),
  agent_id: fc.constantFrom('bot', 'crawler', null),
  reasons: fc.subarray(['system_not_allowed: x', 'risk_too_high: y', 'risk_too_high: z']),
})

it('one event of several counts as they do one by one', () => {
  fc.assert(
    fc.property(
      changedVerdicts,
      fc.integer({ min: 1, max: 9 }),
      fc.boolean(),
      (change, times, isDecision) => {
        const event = isDecision ? decision(7_000) : verdict(change)
        const each = Array.from({ length: times }, () => event)
        const [one, more] = [countEvent(noNumbers, { ...event, times }), each.reduce(countEvent, noNumbers)]
        expect({ ...one, reasons: [...one.reasons].sort() }).toEqual({
          ...more,
          reasons: [...more.reasons].sort(),
        })
      },
    ),
  )
})

it('erased names leave what a count without them leaves', () => {
  const sorted = ({ agents, reasons, ...numbers }: ReturnType<typeof countEvent>) => ({
    ...numbers,
    agents: [...agents].sort(),
    reasons: [...reasons].sort(),
  })
  fc.assert(
    fc.property(fc.array(changedVerdicts, { minLength: 1 }), fc.nat(), (changes, at) => {
      const events = changes.map(change => verdict(change))
      const erased = events[at % events.length] ?? verdict()
      const without = events.map(event =>
        event === erased ? { ...event, agent_id: null, reasons: [] } : event,
      )
      const numbers = eraseNames(events.reduce(countEvent, noNumbers), erased)
      expect(sorted(numbers)).toEqual(sorted(without.reduce(countEvent, noNumbers)))
    }),
  )
})
