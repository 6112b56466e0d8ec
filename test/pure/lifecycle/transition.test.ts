import { describe, expect, it } from 'vitest'
import { type ActionStatus, actionStatuses } from '../../../shared/contract/action/action-status.ts'
import { actionEventKindSchema } from '../../../shared/contract/action/audit.ts'
import { can, isAtRest, isSettled, terminalStatuses } from '../../../shared/lifecycle/status.ts'
import { next, type Trigger, transitions } from '../../../shared/lifecycle/transition.ts'
import { triggers } from './action-state.ts'

/** specification.md#states, written down a second time: status and trigger, the statuses passed, and the event. */
const expected: Record<string, Partial<Record<Trigger, string>>> = {
  '': { submit: 'received by proposal_received' },
  received: {
    allow: 'allowed execution_pending by verdict',
    hold: 'pending_approval by verdict',
    deny: 'denied by verdict',
  },
  pending_approval: {
    approve: 'approved execution_pending by approval',
    reject: 'denied by rejection',
    expire: 'denied by expiry',
    cancel: 'denied by cancellation',
    approve_partly: 'pending_approval by partial_approval',
    comment: 'pending_approval by comment',
    request_changes: 'pending_approval by change_request',
    supersede: 'denied by supersession',
    escalate: 'pending_approval by escalation',
  },
  execution_pending: {
    claim: 'executing by execution_attempt',
    refuse: 'execution_failed by execution',
    lose: 'outcome_unknown by execution',
  },
  executing: {
    succeed: 'executed by execution',
    fail: 'execution_failed by execution',
    retry: 'execution_pending by execution',
    lose: 'outcome_unknown by execution',
  },
  outcome_unknown: {
    find_executed: 'executed by reconciliation',
    find_failed: 'execution_failed by reconciliation',
    find_absent: 'execution_pending by reconciliation',
    repeat: 'execution_pending by reconciliation',
    find_nothing: 'outcome_unknown by reconciliation',
    resolve_executed: 'executed by reconciliation',
    resolve_failed: 'execution_failed by reconciliation',
  },
  executed: { erase: 'executed by erasure' },
  denied: { erase: 'denied by erasure' },
  execution_failed: { erase: 'execution_failed by erasure' },
}

const statuses: (ActionStatus | null)[] = [null, ...actionStatuses]
const pairs = statuses.flatMap(status => triggers.map(trigger => ({ status, trigger })))

describe('the state table', () => {
  it.each(pairs)('from $status by $trigger', ({ status, trigger }) => {
    const row = next(status, trigger)
    const found = row === null ? undefined : `${[...row.via, row.to].join(' ')} by ${row.event}`
    expect(found).toBe(expected[status ?? '']?.[trigger])
  })

  it('has no row twice and says when each is taken', () => {
    const moves = transitions.map(({ from, trigger }) => `${from}>${trigger}`)
    expect(new Set(moves).size).toBe(moves.length)
    expect(transitions.filter(({ when }) => when === '')).toEqual([])
  })

  it('reaches every status, and uses every kind of event', () => {
    const reached = new Set(transitions.flatMap(({ via, to }) => [...via, to]))
    expect([...reached].sort()).toEqual([...actionStatuses].sort())
    expect([...new Set(transitions.map(({ event }) => event))].sort()).toEqual(
      [...actionEventKindSchema.options].sort(),
    )
  })

  it('lets nothing leave a terminal status', () => {
    const left = new Set(transitions.filter(({ from, to }) => from !== to).map(({ from }) => from))
    expect([...terminalStatuses].filter(status => left.has(status))).toEqual([])
    expect([...terminalStatuses].sort()).toEqual(['denied', 'executed', 'execution_failed'])
  })

  it('never stops in a status that is only passed through', () => {
    const stops = new Set(transitions.map(({ to }) => to))
    expect([...stops]).not.toContain('allowed')
    expect([...stops]).not.toContain('approved')
  })
})

describe('what a status says', () => {
  it.each([
    ['received', false, false],
    ['allowed', false, false],
    ['pending_approval', true, false],
    ['approved', false, false],
    ['execution_pending', false, false],
    ['executing', false, false],
    ['denied', true, true],
    ['executed', true, true],
    ['execution_failed', true, true],
    ['outcome_unknown', true, true],
  ] as const)('%s: at rest %s, settled %s', (status, atRest, settled) => {
    expect({ atRest: isAtRest(status), settled: isSettled(status) }).toEqual({ atRest, settled })
  })

  it('only a held action can be approved or rejected', () => {
    expect(actionStatuses.filter(can.approve)).toEqual(['pending_approval'])
    expect(actionStatuses.filter(can.reject)).toEqual(['pending_approval'])
  })
})
