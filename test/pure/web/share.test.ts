import { expect, it } from 'vitest'
import { formatShare } from '../../../api/web/lib/share.ts'

it('a share is nothing or all only where it is', () => {
  expect(formatShare(0, 0)).toBe('0 %')
  expect(formatShare(1, 3)).toBe('33 %')
  expect(formatShare(1, 1_000)).toBe('below 1 %')
  expect(formatShare(999, 1_000)).toBe('above 99 %')
  expect(formatShare(7, 7)).toBe('100 %')
})
