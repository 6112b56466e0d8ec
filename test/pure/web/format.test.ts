import { describe, expect, test } from 'vitest'
import { counted, formatDuration, formatRelative } from '../../../api/web/lib/format.ts'

const now = Date.parse('2026-11-21T12:00:00.000Z')

describe('relative times', () => {
  test.each([
    ['2026-11-21T11:59:58.000Z', 'just now'],
    ['2026-11-21T11:59:20.000Z', '40 seconds ago'],
    ['2026-11-21T11:57:01.000Z', '2 minutes ago'],
    ['2026-11-21T12:03:10.000Z', 'in 3 minutes'],
    ['2026-11-21T09:00:00.000Z', '3 hours ago'],
    ['2026-11-20T11:00:00.000Z', 'yesterday'],
    ['2026-11-28T12:00:00.000Z', 'in 7 days'],
    ['2025-11-01T12:00:00.000Z', 'last year'],
  ])('%s is %s', (at, words) => {
    expect(formatRelative(at, now)).toBe(words)
  })
})

test.each([
  [420, '420 ms'],
  [1_000, '1 second'],
  [59_999, '59 seconds'],
  [60_000, '1 minute'],
  [7_200_000, '2 hours'],
  [604_800_000, '7 days'],
])('%i ms are %s', (ms, words) => {
  expect(formatDuration(ms)).toBe(words)
})

test('counts say one and many', () => {
  expect([counted(1, 'action'), counted(2, 'action'), counted(1_234, 'entry', 'entries')]).toEqual([
    '1 action',
    '2 actions',
    '1,234 entries',
  ])
})
