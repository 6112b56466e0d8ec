import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createNotifier } from '../../../worker/notifier.ts'

beforeEach(() => {
  vi.useFakeTimers()
})

afterEach(() => {
  vi.useRealTimers()
})

function heard() {
  const ids: string[] = []
  const notifier = createNotifier({ ring: rings => ids.push(...rings.map(({ id }) => id)) })
  return { ids, notifier }
}

it('others are told at once, and of all that follows within 50 ms together', () => {
  const { ids, notifier } = heard()
  notifier.tell(1)
  expect(ids).toEqual(['more-1'])
  notifier.tell(2)
  notifier.tell(3)
  vi.advanceTimersByTime(49)
  expect(ids).toEqual(['more-1'])
  vi.advanceTimersByTime(1)
  expect(ids).toEqual(['more-1', 'more-3'])
  vi.advanceTimersByTime(1_000)
  expect(ids).toEqual(['more-1', 'more-3'])
  notifier.tell(4)
  expect(ids).toEqual(['more-1', 'more-3', 'more-4'])
})

it('who stops tells at once what was to be told later', () => {
  const { ids, notifier } = heard()
  notifier.stop()
  expect(ids).toEqual([])
  notifier.tell(1)
  notifier.tell(2)
  notifier.stop()
  expect(ids).toEqual(['more-1', 'more-2'])
})
