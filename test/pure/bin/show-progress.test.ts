import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { showProgress } from '../../../api/bin/verify/show-progress.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

/** What is written when a page comes every `ms`, of 1,000 things each after 2,000 of an earlier run. */
function written(isTTY: boolean, ms: number, pages: number): string[] {
  const lines: string[] = []
  const shown = showProgress({ isTTY, write: (text: string) => lines.push(text) > 0 })
  shown.show({ done: 2_000, total: 10_000 })
  for (let page = 1; page <= pages; page += 1) {
    vi.advanceTimersByTime(ms)
    shown.show({ done: 2_000 + page * 1_000, total: 10_000 })
  }
  shown.end()
  return lines
}

it('rewrites one line of a terminal, with a bar, the share and the rate of this run', () => {
  const [first, second, ...rest] = written(true, 500, 2)
  expect(first).toBe('\r[#########.....................] 30 %, 3000 of about 10000, 2000/s\u001b[K')
  expect(second).toContain('40 %, 4000 of about 10000, 2000/s')
  expect(rest).toEqual(['\n'])
})

it('writes a plain line every five seconds elsewhere', () => {
  const lines = written(false, 2_500, 4)
  expect(lines).toEqual(['40 %, 4000 of about 10000, 400/s\n', '60 %, 6000 of about 10000, 400/s\n'])
})

it('says nothing of what is done at once', () => {
  expect(written(true, 10, 5)).toEqual([])
  expect(written(false, 10, 5)).toEqual([])
})

it('never says that all is done: more may come than was counted at the beginning', () => {
  expect(written(false, 5_000, 20).at(-1)).toContain('99 %, 22000 of about 10000')
})
