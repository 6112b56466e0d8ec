import { describe, expect, it } from 'vitest'
import type { RecordedVerdict } from '../../../shared/contract/action/action.ts'
import { verdictSchema } from '../../../shared/contract/action/verdict.ts'
import { type DecidedAction, verdictView } from '../../../shared/lifecycle/verdict-view.ts'

const hash = `sha256:${'0'.repeat(64)}`
const recorded: RecordedVerdict = {
  decision: 'allow',
  review_route: null,
  blocking_reasons: [],
  effective_risk: { level: 'low', claimed: 'low', raised_by: null },
  policy: { revision: 1, hash },
  catalog: null,
  checks: [],
  principal: { key_id: 'agk_1', name: 'agent', scope: 'agent', tenant_id: 'acme' },
  proposal_hash: hash,
  actuator: { name: 'crm', kind: 'mock' },
}

function decided(change: Partial<DecidedAction>): DecidedAction {
  return {
    action_id: `act_${'0'.repeat(36)}`,
    proposal_id: 'p-1',
    status: 'execution_pending',
    verdict: recorded,
    comments: [],
    audit_root: hash,
    event_count: 2,
    result: null,
    outcome: null,
    url: '/v1/actions/x',
    review_url: '/approve/acme/x',
    ...change,
  }
}

describe('the view of a verdict', () => {
  it.each(['received', 'execution_pending', 'executing'] as const)('%s says where to poll', status => {
    expect(verdictView(decided({ status })).polling_url).toBe('/v1/actions/x')
  })

  it.each(['pending_approval', 'denied', 'executed', 'execution_failed', 'outcome_unknown'] as const)(
    '%s has nothing to poll for',
    status => {
      expect(verdictView(decided({ status }))).not.toHaveProperty('polling_url')
    },
  )

  it('shows a review route only where there is one', () => {
    const held = { ...recorded, decision: 'needs_approval' as const, review_route: 'leads' }
    expect(verdictView(decided({ verdict: held, status: 'pending_approval' })).review_route).toBe('leads')
    expect(verdictView(decided({}))).not.toHaveProperty('review_route')
  })

  it('says where a person decides as long as it is held', () => {
    const held = { ...recorded, decision: 'needs_approval' as const, review_route: 'leads' }
    const view = verdictView(decided({ verdict: held, status: 'pending_approval' }))
    expect(view.review_url).toBe('/approve/acme/x')
    expect(verdictView(decided({ verdict: held, status: 'executed' }))).not.toHaveProperty('review_url')
  })

  it('has the shape of the contract and keeps what is only recorded to itself', () => {
    const view = verdictView(decided({ status: 'executed', result: { ok: true, detail: {} } }))
    expect(verdictSchema.parse(view)).toEqual(view)
    expect(view).not.toHaveProperty('proposal_hash')
    expect(view).not.toHaveProperty('actuator')
    expect(view.audit).toEqual({ root: hash, event_count: 2, url: '/v1/actions/x/audit-export' })
  })
})
