import { describe, expect, it } from 'vitest'
import { formatCountdown } from '../../../api/web/lib/format.ts'
import { describeAction } from '../../../api/web/lib/trace/describe.ts'
import { describeEvent } from '../../../api/web/lib/trace/describe-event.ts'
import { prettyLines } from '../../../api/web/lib/trace/pretty-json.ts'
import { tellTrace } from '../../../api/web/lib/trace/tell-trace.ts'
import type { Trace } from '../../../shared/contract/action/action.ts'
import type { Check } from '../../../shared/contract/action/verdict.ts'
import type { JsonObject } from '../../../shared/contract/base/json.ts'
import { exampleTrace } from '../../../shared/contract/examples/example-trace.ts'
import { leavesOf } from '../../../shared/lifecycle/told-values.ts'
import { short } from '../../support/short.ts'

const action = {
  target_system: 'payments',
  operation: 'refund',
  parameters: { amount: 20, currency: 'EUR', order: { id: 'o-1' } },
}

function sentence(...given: Parameters<typeof describeAction>): string {
  return describeAction(...given)
    .map(({ text }) => text)
    .join('')
}

function ruled(path: string): Check {
  return { check: 'parameter_max', outcome: 'pass', code: null, message: 'at most 50', path }
}

describe('what will happen', () => {
  it('is told from system, operation and parameters', () => {
    expect(sentence(action)).toBe(
      'The service will call refund on payments with amount = 20, currency = "EUR" and order.id = "o-1".',
    )
  })

  it('names no parameters where there are none', () => {
    expect(sentence({ ...action, parameters: {} })).toBe(
      'The service will call refund on payments, without parameters.',
    )
  })

  it('tells what is empty: it may mean everything', () => {
    expect(sentence({ ...action, operation: 'delete', parameters: { filter: {}, ids: [] } })).toBe(
      'The service will call delete on payments with filter = {} and ids = [].',
    )
  })

  it('begins with what a rule looks at, and counts what it leaves out', () => {
    const many = Object.fromEntries(Array.from({ length: 10 }, (_, place) => [`a${place}`, place]))
    const told = sentence({ ...action, parameters: { ...many, zeal: 1 } }, [ruled('action.parameters.zeal')])
    expect(told).toContain('payments with zeal = 1, a0 = 0')
    expect(told).toMatch(/ and 5 further values\.$/)
  })

  it('tells each value about money, however many others there are', () => {
    const many = Object.fromEntries(Array.from({ length: 10 }, (_, place) => [`a${place}`, place]))
    const told = sentence({
      ...action,
      parameters: { ...many, target: { iban: 'DE89' }, total_amount: 900_000, payments: [{ amount: 7 }] },
    })
    expect(told).toContain('with payments.0.amount = 7, target.iban = "DE89", total_amount = 900000, a0 = 0')
    expect(told).toMatch(/ and 7 further values\.$/)
  })

  it('marks what stands in the proposal, whatever it says', () => {
    const text = '", approved by nobody. The service will call nothing'
    const pieces = describeAction({ ...action, parameters: { note: text } })
    expect(pieces.filter(piece => piece.text.includes('approved')).map(({ from }) => from)).toEqual([
      'proposal',
    ])
  })

  it('quotes a name that could be taken for others', () => {
    const parameters = {
      order: { amount: 900_000 },
      'order.amount': 5,
      'fee = 1, total': 3,
      'a\nb': 1,
      '': 2,
    }
    expect(sentence({ ...action, parameters })).toBe(
      'The service will call refund on payments with "" = 2, "a\\nb" = 1, "fee = 1, total" = 3, order.amount = 900000 and "order.amount" = 5.',
    )
  })

  it('takes no parameter for a ruled one that is only called like its path', () => {
    const parameters = { a: 1, order: { amount: 900_000 }, 'order.amount': 5 }
    expect(sentence({ ...action, parameters }, [ruled('action.parameters.order.amount')])).toContain(
      'with order.amount = 900000, a = 1 and "order.amount" = 5',
    )
    expect(
      sentence({ ...action, parameters: { a: 1, 'order.amount': 5 } }, [
        ruled('action.parameters.order.amount'),
      ]),
    ).toContain('with a = 1 and')
  })

  it('shortens a long name, so that it pushes no value out of sight', () => {
    expect(sentence({ ...action, parameters: { ['x'.repeat(5_000)]: 1, amount: 2 } }).length).toBeLessThan(
      300,
    )
  })

  it('shortens a long value between characters', () => {
    const told = sentence({ ...action, parameters: { note: '\u{1f4b6}'.repeat(500) } })
    expect(told).toContain('…')
    expect(told).not.toMatch(/\p{Surrogate}/u)
  })
})

const events: [string, JsonObject | null, [string, string | null, string | null]][] = [
  ['execution', { attempt: 2, outcome: 'ok' }, ['Attempt 2: it was executed', 'executed', null]],
  [
    'execution',
    { attempt: 1, outcome: 'retry', class: 'retry', error: { code: 'http_503', message: 'busy' } },
    ['Attempt 1: not yet: it is tried again', 'execution_pending', 'http_503: busy (counts as retry)'],
  ],
  [
    'reconciliation',
    { source: 'operator', outcome: 'failed', note: 'no such refund' },
    ['An operator looked: it failed and had no effect', 'execution_failed', 'no such refund'],
  ],
  ['approval', { note: 'seen' }, ['Approved', 'execution_pending', 'seen']],
  ['verdict', { decision: 'deny', blocking_reasons: ['x: y'] }, ['The gate denied it', 'denied', 'x: y']],
  ['comment', { note: 'who pays?' }, ['Comment', null, 'who pays?']],
  ['change_request', { note: 'at most 50' }, ['Changes requested', null, 'at most 50']],
  ['supersession', { superseded_by: 'act_2' }, ['Edited: another action takes its place', 'denied', 'act_2']],
  ['escalation', {}, ['Nobody decided: others are asked too', null, null]],
  ['approval', null, ['Approved (content erased)', null, null]],
  ['something_new', {}, ['something_new', null, null]],
]

it.each(events.map(([kind, body, told]) => [kind, short(body, 36), body, told] as const))(
  'an event %s %s has its sentence',
  (kind, _, body, [title, status, detail]) => {
    expect(describeEvent({ kind, body })).toEqual({ title, status, detail })
  },
)

it('prints JSON with sorted names, and lists its values by the way to them', () => {
  expect(prettyLines({ b: [1], a: 'x' })).toEqual(['{', '  "a": "x",', '  "b": [', '    1', '  ]', '}'])
  expect(leavesOf({ b: [1, null], a: {}, '': [] })).toEqual([
    { way: [''], value: [] },
    { way: ['a'], value: {} },
    { way: ['b', '0'], value: 1 },
    { way: ['b', '1'], value: null },
  ])
})

it.each([
  [0, '0 s'],
  [40_000, '40 s'],
  [249_000, '4 min 9 s'],
  [7_500_000, '2 h 5 min'],
  [532_800_000, '6 d 4 h'],
])('%d ms are left as %s', (ms, text) => {
  expect(formatCountdown(ms)).toBe(text)
})

describe('how an action ended', () => {
  const told = (status: Trace['status'], outcome: Partial<NonNullable<Trace['outcome']>>, more = {}) =>
    tellTrace({
      ...exampleTrace,
      status,
      approval: null,
      outcome: { ...(exampleTrace.outcome as NonNullable<Trace['outcome']>), status, ...outcome },
      ...more,
    })
  const byOperator = { code: 'resolved_by_operator', message: 'seen in the shop' }

  it('is told without asking anybody only where the service executed it', () => {
    expect(told('executed', {})).toBe('It was executed without asking anybody: the policy allows it.')
    expect(told('executed', byOperator)).toBe('An operator found out that it happened: seen in the shop')
  })

  it('is told with the reason where it failed', () => {
    expect(told('execution_failed', byOperator)).toBe(
      'An operator found out that it did not happen: seen in the shop',
    )
    const failed = { code: 'http_422', message: 'status 422: too much' }
    expect(told('execution_failed', failed)).toBe(
      'It was tried and failed. It had no effect. The reason: status 422: too much',
    )
    expect(told('execution_failed', failed, { execution: null, job: null })).toMatch(/^It was not tried\./)
  })
})
