import type { Options } from 'express-rate-limit'
import { expect, test } from 'vitest'
import { LocalBuckets } from '../../../shared/runtime/queue/token-bucket.ts'

function bucketsOf(limit: number, windowMs = 60_000) {
  let now = 1_000.1
  const buckets = new LocalBuckets(() => now)
  buckets.init({ limit, windowMs } as Options)
  const secondsLeft = (at: Date | undefined) => Math.ceil((Number(at) - Date.now()) / 1_000)
  return {
    ask(key = 'key') {
      const { totalHits, resetTime } = buckets.increment(key)
      return totalHits > limit ? `wait ${secondsLeft(resetTime)}` : totalHits
    },
    giveBack: () => buckets.decrement('key'),
    pass: (ms: number) => {
      now += ms
    },
  }
}

test('a bucket is emptied at once, and fills token by token', () => {
  const { ask, pass } = bucketsOf(3)
  expect([ask(), ask(), ask(), ask(), ask()]).toEqual([1, 2, 3, 'wait 20', 'wait 20'])
  pass(15_000)
  expect(ask()).toBe('wait 5')
  pass(5_000)
  expect([ask(), ask()]).toEqual([3, 'wait 20'])
  pass(40_000)
  expect([ask(), ask(), ask()]).toEqual([2, 3, 'wait 20'])
})

test('a minute of waiting is never told where the limit is of many in a minute', () => {
  const { ask } = bucketsOf(600)
  for (let at = 1; at <= 600; at += 1) expect(ask()).toBe(at)
  expect(ask()).toBe('wait 1')
})

test('in the long run as many get through as the limit says', () => {
  const { ask, pass } = bucketsOf(60)
  let through = 0
  for (let second = 0; second < 600; second += 1) {
    for (let at = 0; at < 5; at += 1) if (typeof ask() === 'number') through += 1
    pass(1_000)
  }
  expect(through).toBe(60 + 599)
})

test('what is given back is there again, and never more than the bucket holds', () => {
  const { ask, giveBack } = bucketsOf(2)
  ask()
  ask()
  giveBack()
  expect([ask(), ask()]).toEqual([2, 'wait 30'])
  for (let at = 0; at < 9; at += 1) giveBack()
  expect([ask(), ask(), ask()]).toEqual([1, 2, 'wait 30'])
})

test('each subject has a bucket, and one in use is never forgotten', () => {
  const { ask, pass } = bucketsOf(2)
  expect([ask('one'), ask('one'), ask('other'), ask('one')]).toEqual([1, 2, 1, 'wait 30'])
  pass(59_000)
  ask('one')
  pass(2_000)
  expect(ask('third')).toBe(1)
  expect([ask('one'), ask('other')]).toEqual([2, 1])
})
