import { describe, expect, it } from 'vitest'
import { isCut } from '../../../api/web/lib/trace/describe.ts'
import { leavesIn, tellingValues } from '../../../api/web/lib/trace/telling-values.ts'
import type { InboxValue } from '../../../shared/contract/action/inbox-schema.ts'
import type { JsonObject } from '../../../shared/contract/base/json.ts'
import { leavesOf } from '../../../shared/lifecycle/told-values.ts'

const told = (parameters: JsonObject): string =>
  tellingValues(leavesOf(parameters), 0)
    .map(({ text }) => text)
    .join('')

describe('a row of the inbox', () => {
  it('tells the amount with its currency, and the object, without their names', () => {
    const refund = { amount: 45, currency: 'EUR', order: { id: 'order-1002' }, reason: 'damaged' }
    expect(told(refund)).toBe('45 EUR · order-1002, and 1 further value')
    expect(told({ payment: { amount: 9, currency: 'CHF' }, currency: 'EUR', iban: 'DE02' })).toBe(
      '9 CHF · DE02, and 1 further value',
    )
  })

  it('tells an address, a path or a number that is an id', () => {
    expect(told({ to: 'ada@example.org', subject: 'hello' })).toBe('ada@example.org, and 1 further value')
    expect(told({ customer_id: 7, path: '/etc/hosts', note: 'x' })).toBe(
      '7 · /etc/hosts, and 1 further value',
    )
  })

  it('leaves the names of amounts without a currency, and of two', () => {
    expect(told({ amount: 5, id: 'a' })).toBe('amount = 5 and id = "a"')
    expect(told({ amount: 5, fee: { amount: 900 } })).toBe('amount = 5 and fee.amount = 900')
  })

  it('leaves the names where nothing tells, and says nothing of nothing', () => {
    expect(told({ text: 'hello' })).toBe('text = "hello"')
    expect(told({ id: '', amount: 'much' })).toBe('amount = "much" and id = ""')
    expect(told({})).toBe('')
  })

  it('marks each value as one of the proposal', () => {
    const pieces = tellingValues(leavesOf({ amount: 1, currency: 'EUR', id: ' · 900 EUR' }), 0)
    expect(pieces).toEqual([
      { text: '1 EUR', from: 'proposal' },
      { text: ' · ', from: 'us' },
      { text: ' · 900 EUR', from: 'proposal' },
    ])
  })
})

describe('a value that the list has whole', () => {
  const told = (change: Partial<InboxValue>) =>
    leavesIn([{ path: ['note'], value: 'x', ...change }]).map(isCut)

  it.each<[string, Partial<InboxValue>, boolean]>([
    ['fits with its quotes', { value: 'x'.repeat(118) }, false],
    ['does not fit with them', { value: 'x'.repeat(119) }, true],
    ['does not fit with its escapes', { value: '"'.repeat(60) }, true],
    ['was cut by the list', { value: 'x'.repeat(120), cut: true }, true],
    ['has names that do not fit', { path: ['"'.repeat(60)] }, true],
  ])('%s', (_, change, cut) => {
    expect(told(change)).toEqual([cut])
  })
})
