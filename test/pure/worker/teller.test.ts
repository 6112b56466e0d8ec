import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createTeller } from '../../../worker/notifier.ts'

beforeEach(() => {
  vi.useFakeTimers()
})

afterEach(() => {
  vi.useRealTimers()
})

function heard() {
  const ids: string[] = []
  const teller = createTeller({ ring: rings => ids.push(...rings.map(({ id }) => id)) })
  return { ids, teller }
}

it('others are told at once, and of all that follows within 50 ms together', () => {
  const { ids, teller } = heard()
  teller.tell(1)
  expect(ids).toEqual(['more-1'])
  teller.tell(2)
  teller.tell(3)
  vi.advanceTimersByTime(49)
  expect(ids).toEqual(['more-1'])
  vi.advanceTimersByTime(1)
  expect(ids).toEqual(['more-1', 'more-3'])
  vi.advanceTimersByTime(1_000)
  expect(ids).toEqual(['more-1', 'more-3'])
  teller.tell(4)
  expect(ids).toEqual(['more-1', 'more-3', 'more-4'])
})

it('who stops tells at once what was to be told later', () => {
  const { ids, teller } = heard()
  teller.stop()
  expect(ids).toEqual([])
  teller.tell(1)
  teller.tell(2)
  teller.stop()
  expect(ids).toEqual(['more-1', 'more-2'])
})
