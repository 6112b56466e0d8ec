import { expect, test } from 'vitest'
import { approveAllLabel, approveLabel } from '../../../api/web/lib/policy/quorum.ts'

const of = (given: number, required: number) => ({ approvals: { given, required, by: [] } })

test('a button says that it executes only where its approval is the last', () => {
  expect(approveLabel(of(0, 2).approvals)).toBe('Approve (1 of 2)')
  expect(approveLabel(of(1, 2).approvals)).toBe('Approve and execute')
  expect(approveLabel(undefined)).toBe('Approve and execute')
})

test('a button for several says how many of them are executed', () => {
  expect(approveAllLabel([{}, of(1, 2)])).toBe('Approve and execute (2)')
  expect(approveAllLabel([of(0, 2), of(0, 3)])).toBe('Approve (2)')
  expect(approveAllLabel([{}, of(0, 2)])).toBe('Approve 2, execute 1')
})
