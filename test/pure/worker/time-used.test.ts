import { expect, it } from 'vitest'
import { createDeadlineUsed, type Timed } from '../../../worker/deadline-used.ts'

/** What is told when it is scraped every 15 seconds, while such calls follow each other at once. */
function scrapes(call: { takes: number; msMax: number }, callMsMax = 30_000): number[] {
  let now = 0
  const used = createDeadlineUsed(callMsMax, () => now)
  let underWay: Timed = { begun: 0, msMax: call.msMax }
  const told: number[] = []
  for (; now < 600_000; now += 500) {
    if (now - underWay.begun >= call.takes) {
      used.ended(underWay)
      underWay = { begun: now, msMax: call.msMax }
    }
    if (now % 15_000 === 3_500) told.push(used.most([underWay]))
  }
  return told
}

it.each([
  [10_000, 30_000],
  [30_000, 30_000],
  [1_000, 30_000],
  [120_000, 120_000],
])('calls that hang until %i ms are reported at any time once the first ended', (msMax, callMsMax) => {
  const told = scrapes({ takes: msMax, msMax }, callMsMax)
  const first = Math.ceil(msMax / 15_000)
  expect(Math.min(...told.slice(first))).toBe(1)
})

it('calls that take a little of their time are told as that', () => {
  expect(Math.max(...scrapes({ takes: 500, msMax: 10_000 }))).toBe(0.05)
})

it('a call is measured by its own bound, and forgotten within a minute of its end', () => {
  let now = 0
  const used = createDeadlineUsed(30_000, () => now)
  const slow = { begun: 0, msMax: 10_000 }
  expect(used.most([])).toBe(0)
  now = 9_000
  expect(used.most([slow, { begun: 0, msMax: 30_000 }])).toBe(0.9)
  used.ended(slow)
  now = 39_000
  expect(used.most([])).toBe(0.9)
  now = 60_000
  expect(used.most([])).toBe(0)
  now = 61_000
  used.ended({ begun: 60_000, msMax: 10_000 })
  now = 200_000
  expect(used.most([])).toBe(0)
})
