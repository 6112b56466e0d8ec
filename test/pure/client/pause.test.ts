import { expect, test } from 'vitest'
import { pauseMs, retryAfterMs } from '../../../shared/client/platform.ts'

const draws = (failures: number, wait = 0) => Array.from({ length: 200 }, () => pauseMs(failures, wait))

test('pauses grow to ten seconds and differ between clients', () => {
  for (const [failures, longest] of [
    [1, 250],
    [2, 500],
    [5, 4_000],
    [7, 10_000],
    [5_000, 10_000],
  ] as const) {
    const drawn = draws(failures)
    expect(Math.min(...drawn)).toBeGreaterThanOrEqual(longest / 2)
    expect(Math.max(...drawn)).toBeLessThanOrEqual(longest)
    expect(new Set(drawn).size).toBeGreaterThan(100)
  }
})

test('a pause is never shorter than the service asks for', () => {
  expect(Math.min(...draws(1, 7_000))).toBeGreaterThan(7_000)
})

test('Retry-After is read as seconds or as a date', () => {
  expect(retryAfterMs('2')).toBe(2_000)
  expect(retryAfterMs(null)).toBe(0)
  expect(retryAfterMs('soon')).toBe(0)
  expect(retryAfterMs('Mon, 01 Jan 2001 00:00:00 GMT')).toBe(0)
  const inAMinute = retryAfterMs(new Date(Date.now() + 60_000).toUTCString())
  expect(inAMinute).toBeGreaterThan(58_000)
  expect(inAMinute).toBeLessThanOrEqual(60_000)
})
