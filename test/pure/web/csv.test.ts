import { expect, test } from 'vitest'
import { csvOf } from '../../../api/web/lib/csv.ts'

const csv = (text: string) => csvOf([{ text }], ['text'])

test.each([
  ['a sign at the beginning', '=1+1', "'=1+1"],
  ['a line break after it', '=1\n+1', '"\'=1\n\'+1"'],
  ['spaces before it', '  =1', "'  =1"],
  ['a line break before it', '\n=1', '"\'\n\'=1"'],
  ['a full-width sign', '\uff1d1+1', "'\uff1d1+1"],
  ['an invisible character before it', '\u200b@SUM(1)', "'\u200b@SUM(1)"],
  ['a formula on a later line', 'fine\n-2+cmd', '"fine\n\'-2+cmd"'],
  ['the separator of another locale', 'fine;=1', "fine;'=1"],
])('a cell is no formula with %s', async (_, text, written) => {
  expect(await csv(text)).toBe(`text\r\n${written}`)
})

test('a text without a sign of formulas is written as it is', async () => {
  expect(await csv('Pay 3 - 1 = 2 to a@b')).toBe('text\r\nPay 3 - 1 = 2 to a@b')
})
