import { expect, test, vi } from 'vitest'
import { createDatabaseClock } from '../../../shared/runtime/clock.ts'

function clockAt(start: number) {
  let monotonic = start
  vi.spyOn(performance, 'now').mockImplementation(() => monotonic)
  return { clock: createDatabaseClock(), pass: (ms: number) => (monotonic += ms) }
}

const noon = '2026-01-01T12:00:00.000Z'

test('unknown until it was told, and when it was not told for a minute', () => {
  const { clock, pass } = clockAt(5)
  expect(clock.now()).toBeNull()
  clock.heard(noon)
  expect(clock.now()).toBe(noon)
  pass(59_000)
  expect(clock.now()).toBe('2026-01-01T12:00:59.000Z')
  pass(1_000)
  expect(clock.now()).toBeNull()
})

test('the answer that came soonest is believed, and so is a clock that was set back', () => {
  const { clock, pass } = clockAt(0)
  clock.heard(noon)
  pass(1_000)
  clock.heard('2026-01-01T12:00:00.700Z')
  expect(clock.now()).toBe('2026-01-01T12:00:01.000Z')
  clock.heard('2026-01-01T12:00:01.040Z')
  expect(clock.now()).toBe('2026-01-01T12:00:01.040Z')
  clock.heard('2026-01-01T11:00:00.000Z')
  expect(clock.now()).toBe('2026-01-01T11:00:00.000Z')
})
