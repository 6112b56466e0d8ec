import { describe, expect, it } from 'vitest'
import { exactSum } from '../../../api/web/lib/decimal.ts'
import { readsAs } from '../../../api/web/lib/suspicious.ts'
import { batchTable } from '../../../api/web/lib/trace/batch-table.ts'
import type { InboxAction } from '../../../shared/contract/action/inbox-schema.ts'
import type { JsonObject } from '../../../shared/contract/base/json.ts'
import { leavesOf } from '../../../shared/lifecycle/told-values.ts'

const plain: InboxAction = {
  action_id: 'act_aaaaaaaaaaaaaaaa',
  tenant_id: 'web-shop',
  created_at: '2026-11-28T08:00:00.000Z',
  expires_at: '2026-11-28T09:00:00.000Z',
  status: 'pending_approval',
  review_route: 'operations',
  review_url: '/approve/web-shop/act_aaaaaaaaaaaaaaaa',
  agent_id: 'refund-bot',
  key: { key_id: 'agk_aaaaaaaaaaaaaaaa', name: 'bot' },
  summary: 'Refund',
  target_system: 'payments',
  operation: 'refund',
  values: [],
  values_more: 0,
  effective_risk: { level: 'high', claimed: 'high', raised_by: null },
  proposal_hash: `sha256:${'a'.repeat(64)}`,
} as unknown as InboxAction

function tableOf(all: readonly JsonObject[], changes: readonly Partial<InboxAction>[] = []) {
  return batchTable(
    all.map((parameters, at) => ({
      action: { ...plain, action_id: `act_${at}`, ...changes[at] },
      application: null,
      values: leavesOf(parameters),
    })),
  )
}

const words = (reason: readonly { text: string }[]): string => reason.map(({ text }) => text).join('')

/** Why each stands out, in the order of the rows. */
function reasonsOf(...given: Parameters<typeof tableOf>): [string, string[]][] {
  const { rows } = tableOf(...given)
  return rows
    .filter(({ reasons }) => reasons.length > 0)
    .map(({ action, reasons }) => [action.action_id, reasons.map(words)])
}

const sumsOf = (...given: Parameters<typeof tableOf>) =>
  tableOf(...given).sums.map(({ call, title, currency, sum, count }) => [
    call && `${call.operation} on ${call.target_system}`,
    title,
    currency,
    sum,
    count,
  ])

describe('sums', () => {
  it.each<[number[], string]>([
    [[0.1, 0.2], '0.3'],
    [[1e21, 1], '1,000,000,000,000,000,000,001'],
    [[1e-7, 0.5], '0.5000001'],
    [[9007199254740991, 9007199254740991], '18,014,398,509,481,982'],
    [[5, -5], '0'],
    [[-0.5, 0.25], '-0.25'],
    [[Number.MAX_VALUE, -Number.MAX_VALUE, 0.01], '0.01'],
    [[], '0'],
  ])('of %j are exact', (numbers, sum) => {
    expect(exactSum(numbers)).toBe(sum)
  })

  it('never add two currencies, names or operations', () => {
    const all = [
      { amount: 0.1, currency: 'EUR' },
      { amount: 0.2, currency: 'EUR' },
      { amount: 5, currency: 'USD' },
      { amount: 7 },
      { amount: 1, currency: '\u0415UR', fee: { amount: 3, currency: 'EUR' } },
    ]
    expect(sumsOf(all)).toEqual([
      [null, 'amount', 'EUR', '0.3', 2],
      [null, 'amount', 'USD', '5', 1],
      [null, 'amount', null, '7', 1],
      [null, 'amount', '\u0415UR', '1', 1],
      [null, 'fee.amount', 'EUR', '3', 1],
    ])
    const twice = [all[0] ?? {}, all[1] ?? {}]
    expect(sumsOf(twice, [{}, { operation: 'charge' }])).toEqual([
      ['refund on payments', 'amount', 'EUR', '0.1', 1],
      ['charge on payments', 'amount', 'EUR', '0.2', 1],
    ])
  })
})

describe('what stands out is first', () => {
  it('tells an amount that is no number, which no sum has, or far from the others', () => {
    const all = [10, 12, 11, '900000', 9, 110, -4].map(amount => ({ amount, currency: 'EUR' }))
    expect(reasonsOf(all)).toEqual([
      ['act_3', ['amount is no number']],
      ['act_5', ['amount is 11 times the median']],
      ['act_6', ['amount is below zero']],
    ])
    expect(tableOf(all)).toMatchObject({ unsummed: 1, sums: [{ sum: '148', count: 6 }] })
  })

  it('tells what few have otherwise than most, also where it is missing', () => {
    const all = [{ to: 'a', currency: 'EUR' }, { to: 'b', currency: 'EUR' }, { to: 'c' }]
    expect(reasonsOf(all, [{}, { agent_id: 'other' }])).toEqual([
      ['act_1', ['Agent: most have refund-bot']],
      ['act_2', ['currency: most have "EUR"']],
    ])
  })

  it('tells values and names that look alike, and what cannot be seen', () => {
    const spelled = [{ to: 'ace' }, { to: 'ace' }, { to: '\u0430\u0441\u0435' }, { to: 'ac\u200be' }]
    const told = new Map(reasonsOf(spelled))
    expect(told.get('act_2')).toContain('to looks like another value and is not the same')
    expect(told.get('act_3')).toEqual(
      expect.arrayContaining([
        'to has characters that mislead',
        'to looks like another value and is not the same',
      ]),
    )
    const named = [{ sum: 1 }, { sum: 1 }, { '\u0455um': 1 }]
    expect(new Map(reasonsOf(named)).get('act_2')).toContain(
      'the name \u0455um looks like another one and is not the same',
    )
    expect(readsAs('e\u0301')).toBe(readsAs('\u00e9'))
    expect(readsAs('a')).not.toBe(readsAs('b'))
  })
})

describe('columns', () => {
  it('are what differs; what all have is said once', () => {
    const { columns, same } = tableOf([
      { amount: 1, currency: 'EUR', order: { id: 'a' } },
      { amount: 2, currency: 'EUR', order: { id: 'b' } },
    ])
    expect(columns.map(({ title }) => title)).toEqual(['amount', 'order.id'])
    expect(same.map(({ title, texts }) => [title, texts.get(0)])).toEqual(
      expect.arrayContaining([
        ['Operation', 'refund'],
        ['currency', '"EUR"'],
      ]),
    )
  })

  it('tell a number from its text, nothing from an empty text, and two like names', () => {
    const { columns, rows } = tableOf([
      { a: 5, b: '', order: { limit: 7 } },
      { a: '5', 'order.limit': 7 },
    ])
    expect(columns.map(({ title }) => title)).toEqual(['a', 'b', 'order.limit', '"order.limit"'])
    expect(rows.map(({ cells }) => cells.map(cell => cell?.text ?? null))).toEqual([
      ['5', '""', '7', null],
      ['"5"', null, null, '7'],
    ])
  })

  it('hide no difference: long texts say where they part, and rows have the rest', () => {
    const long = (end: string) => ({ note: `${'x'.repeat(5_000)}${end}` })
    const [first, second] = tableOf([long('pay Ada'), long('pay Eve')]).rows
    expect([first?.cells[0]?.variant, second?.cells[0]?.variant]).toEqual([
      { at: 5_006, text: 'Ada"', number: 1, of: 2 },
      { at: 5_006, text: 'Eve"', number: 2, of: 2 },
    ])
    const many = (from: number) =>
      Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`value_${at}`, from + at]))
    const { columns, others, rows } = tableOf([many(0), many(1)])
    expect([columns.length, others, rows[0]?.others.length]).toEqual([12, 18, 18])
  })

  it('are few where every name of every action is another one', () => {
    const all = Array.from({ length: 200 }, (_, action) =>
      Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`n_${action}_${at}`, at])),
    )
    expect(tableOf(all)).toMatchObject({ columns: { length: 12 }, others: 19_988 })
  })
})
