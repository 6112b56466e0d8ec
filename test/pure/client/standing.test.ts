import { describe, expect, test } from 'vitest'
import { GateError } from '../../../shared/client/failures.ts'
import { endOf, type Standing, standingOfTrace } from '../../../shared/client/standing.ts'
import type { ActionOutcome, ActionStatus, Trace } from '../../../shared/client/wire.ts'
import { actionStatuses } from '../../../shared/contract/action/action-status.ts'
import { exampleTrace } from '../../../shared/contract/examples/example-trace.ts'

const standing: Standing = standingOfTrace(exampleTrace as unknown as Trace)

function endAs(status: string, outcome: Partial<ActionOutcome> | null = {}): string {
  const by = { id: 'key', kind: 'approver', name: null } as const
  const told = outcome && { status, code: 'any', message: 'm', by, try_again: false, ...outcome }
  const end = endOf({ ...standing, status: status as ActionStatus, outcome: told as ActionOutcome | null })
  if (end === null) return 'waits'
  return end instanceof GateError ? end.name : 'answers'
}

test('every status of the contract waits, answers or throws one of the set', () => {
  expect(Object.fromEntries(actionStatuses.map(status => [status, endAs(status)]))).toEqual({
    received: 'waits',
    allowed: 'waits',
    pending_approval: 'waits',
    approved: 'waits',
    execution_pending: 'waits',
    executing: 'waits',
    denied: 'Denied',
    executed: 'answers',
    execution_failed: 'Failed',
    outcome_unknown: 'OutcomeUnknown',
  })
})

test('a status that the client does not know is no end', () => {
  expect(endAs('thawed')).toBe('waits')
})

test.each([
  ['rejected', 'approver', 'Rejected'],
  ['approval_expired', 'system', 'Expired'],
  ['withdrawn', 'agent', 'Withdrawn'],
  ['something_new', 'system', 'Denied'],
  ['rejected', 'gate', 'Denied'],
] as const)('what was denied with %s by %s is %s', (code, kind, name) => {
  expect(endAs('denied', { code, by: { id: 'x', kind, name: null } })).toBe(name)
})

test('what was denied without an outcome is Denied', () => {
  expect(endAs('denied', null)).toBe('Denied')
})

describe('a failure', () => {
  const failed = (try_again: boolean) =>
    endOf({
      ...standing,
      status: 'execution_failed' as ActionStatus,
      outcome: { ...(standing.outcome as ActionOutcome), try_again },
    })

  test('says what to do next by whether the same may end otherwise', () => {
    expect(failed(true)).toMatchObject({ tryAgain: true, next: expect.stringContaining('you may propose') })
    expect(failed(false)).toMatchObject({ tryAgain: false, next: expect.stringContaining('change it first') })
  })
})
