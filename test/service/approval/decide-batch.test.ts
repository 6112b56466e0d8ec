import { performance } from 'node:perf_hooks'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { HeldAction } from '../../../shared/contract/action/action.ts'
import type { BatchedDecision, DecisionResults } from '../../../shared/contract/action/decision-schema.ts'
import type { Problem } from '../../../shared/contract/base/errors.ts'
import { issueKey } from '../../../shared/flow/tenant/issue-key.ts'
import { revokeKey } from '../../../shared/store/tenant/api-keys.ts'
import { asSuperuser } from '../../support/servers/superuser.ts'
import { signUp } from '../../support/service/owner.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import { plainPolicy, proposal, type TestTenant } from '../../support/service/tenant.ts'

let service: TestService
let tenant: TestTenant

beforeAll(async () => {
  const env = { SERVICE_HOSTED_ACCOUNTS: 'true', SERVICE_RATE_LIMIT: '100000' }
  service = await startService({ env, worker: null })
  tenant = await service.tenant()
})

afterAll(async () => {
  await service.close()
})

async function held(count: number, of = tenant): Promise<BatchedDecision[]> {
  const ids = await Promise.all(
    Array.from({ length: count }, async () => (await of.submit({ risk: 'high' })).body.action_id),
  )
  const listed = new Map((await list(of)).map(seen => [seen.action_id, seen]))
  return ids.map(id => decisionOf(listed.get(id)))
}

async function list({ approver: key }: TestTenant): Promise<BatchedDecision[]> {
  const { body } = await service.call<{ approvals: HeldAction[] }>('GET', '/v1/approvals?limit=200', { key })
  return body.approvals.map(({ action_id, verdict }) => ({
    action_id,
    decision: 'approve',
    proposal_hash: verdict.proposal_hash,
    request_hash: verdict.request_hash ?? null,
  }))
}

function decisionOf(seen: BatchedDecision | undefined): BatchedDecision {
  if (!seen) throw new Error('it is not held')
  return seen
}

const decide = (decisions: readonly BatchedDecision[], key = tenant.approver, more: object = {}) =>
  service.call<DecisionResults & Problem>('POST', '/v1/approvals', { key, json: { decisions, ...more } })

const events = (decisions: readonly BatchedDecision[]) =>
  asSuperuser<{ action_id: string; kind: string; note: string | null }>(
    service.database,
    `select action_id, kind, convert_from(payload, 'UTF8')::json ->> 'note' as note
     from action_gate.action_events join action_gate.event_payloads using (action_id, sequence)
     where action_id = any('{${decisions.map(({ action_id }) => action_id).join(',')}}') and sequence > 1
     order by action_id collate "C", sequence`,
  )

const otherDigest = `sha256:${'0'.repeat(64)}`

it('one request decides several, each by an event of its own with its note', async () => {
  const [first, second, third] = (await held(3)) as [BatchedDecision, BatchedDecision, BatchedDecision]
  const decisions = [first, { ...second, decision: 'reject', note: 'not today' } as const, third]
  const { status, body } = await decide(decisions, tenant.approver, { note: 'of the morning' })
  expect(status).toBe(200)
  expect(body).toEqual({
    applied: 3,
    results: [
      { action_id: first.action_id, applied: true, action_status: 'execution_pending' },
      { action_id: second.action_id, applied: true, action_status: 'denied' },
      { action_id: third.action_id, applied: true, action_status: 'execution_pending' },
    ],
  })
  const recorded = new Map((await events(decisions)).map(event => [event.action_id, event]))
  expect(decisions.map(({ action_id }) => recorded.get(action_id))).toEqual([
    { action_id: first.action_id, kind: 'approval', note: 'of the morning' },
    { action_id: second.action_id, kind: 'rejection', note: 'not today' },
    { action_id: third.action_id, kind: 'approval', note: 'of the morning' },
  ])
})

it('what is refused is refused alone, with the code of the single decision', async () => {
  const other = await service.tenant()
  const [good, another, sent, gone] = (await held(4)) as [
    BatchedDecision,
    BatchedDecision,
    BatchedDecision,
    BatchedDecision,
  ]
  const [theirs] = (await held(1, other)) as [BatchedDecision]
  await tenant.reject(gone.action_id, { note: 'alone' })
  const { body } = await decide([
    { ...another, proposal_hash: otherDigest, decision: 'reject' },
    { ...sent, request_hash: otherDigest },
    gone,
    theirs,
    good,
  ])
  expect(body.results.map(({ applied, code, action_status }) => ({ applied, code, action_status }))).toEqual([
    { applied: false, code: 'proposal_mismatch', action_status: undefined },
    { applied: false, code: 'request_mismatch', action_status: undefined },
    { applied: false, code: 'action_not_approvable', action_status: 'denied' },
    { applied: false, code: 'action_not_found', action_status: undefined },
    { applied: true, code: undefined, action_status: 'execution_pending' },
  ])
  expect(body.results[2]?.decided).toMatchObject({ decision: 'rejected', note: 'alone' })
  expect(await events([another, sent, theirs])).toEqual([])
})

it('a request that the verdict has is not decided by who did not see it', async () => {
  const [seen] = (await held(1)) as [BatchedDecision]
  expect(seen.request_hash).toMatch(/^sha256:/)
  const { body } = await decide([{ ...seen, request_hash: null }])
  expect(body.results).toMatchObject([{ applied: false, code: 'request_mismatch' }])
})

it('what was held meanwhile is not decided', async () => {
  const before = await held(2)
  const [after] = (await held(1)) as [BatchedDecision]
  expect((await decide(before)).body.applied).toBe(2)
  expect((await list(tenant)).map(({ action_id }) => action_id)).toContain(after.action_id)
})

it('a batch that is sent again records nothing, and says who decided', async () => {
  const decisions = await held(5)
  await decide(decisions)
  const { body } = await decide(decisions)
  expect(body.applied).toBe(0)
  const [keyId = ''] = tenant.approver.split('.')
  expect(body.results.map(({ code, decided }) => [code, decided?.decision, decided?.principal.id])).toEqual(
    decisions.map(() => ['action_not_approvable', 'approved', keyId]),
  )
  expect(await events(decisions)).toHaveLength(decisions.length)
})

it('one of several approvals is recorded once, however often a batch brings it', async () => {
  const pairs = await service.tenant({ policy: { ...plainPolicy, approvals_required: 2 } })
  const decisions = await held(3, pairs)
  const pending = decisions.map(({ action_id }) => ({
    action_id,
    applied: true,
    action_status: 'pending_approval',
  }))
  const first = await decide(decisions, pairs.approver)
  const again = await decide(decisions, pairs.approver)
  expect([first.body.results, again.body.results]).toEqual([pending, pending])
  const issued = await issueKey(
    service.context,
    { name: 'second', scope: 'approver', tenant_id: pairs.id, expires_at: null },
    { source: 'test' },
  )
  const second = await decide(decisions, issued.api_key)
  expect(second.body.results.map(({ action_status }) => action_status)).toEqual(
    decisions.map(() => 'execution_pending'),
  )
  expect((await events(decisions)).map(({ kind }) => kind)).toEqual(
    decisions.flatMap(() => ['partial_approval', 'approval']),
  )
})

it('of two batches about the same actions each action is decided once', async () => {
  const decisions = await held(60)
  const rejections = [...decisions].reverse().map(one => ({ ...one, decision: 'reject' }) as const)
  const answers = await Promise.all([decide(decisions), decide(rejections)])
  expect(answers.map(({ status }) => status)).toEqual([200, 200])
  expect(answers.reduce((sum, { body }) => sum + body.applied, 0)).toBe(decisions.length)
  expect(await events(decisions)).toHaveLength(decisions.length)
})

it('what is frozen is refused to approve and may be rejected', async () => {
  const frozen = await service.tenant()
  const [one, two] = (await held(2, frozen)) as [BatchedDecision, BatchedDecision]
  await service.call('POST', `/v1/tenants/${frozen.id}/freeze`, {
    admin: service.admin,
    json: { reason: 'of a test' },
  })
  const { body } = await decide([one, { ...two, decision: 'reject' }], frozen.approver)
  expect(body.results.map(({ code, action_status }) => code ?? action_status)).toEqual(['frozen', 'denied'])
})

it('a key that was revoked behind the process decides nothing', async () => {
  const decisions = await held(3)
  const issued = await issueKey(
    service.context,
    { name: 'revoked', scope: 'approver', tenant_id: tenant.id, expires_at: null },
    { source: 'test' },
  )
  const [keyId = ''] = issued.api_key.split('.')
  await service.context.store.change([tenant.id], query => revokeKey(query, tenant.id, keyId))
  expect(await decide(decisions, issued.api_key)).toMatchObject({
    status: 403,
    body: { code: 'key_revoked' },
  })
  expect(await events(decisions)).toEqual([])
})

it('an owner decides with the session, for the application that the path names', async () => {
  const owner = await signUp(service.call)
  const policy = { ...plainPolicy, allowed_systems: ['helpdesk'] }
  expect((await owner.browser.call('PUT', owner.path('/policy'), { json: policy })).status).toBe(200)
  for (let count = 0; count < 3; count += 1) {
    const json = proposal({ system: 'helpdesk', risk: 'high' })
    expect((await service.call('POST', '/v1/actions', { key: owner.agent, json })).status).toBe(200)
  }
  const inbox = await owner.browser.call<{ approvals: HeldAction[] }>('GET', owner.path('/approvals'))
  const decisions = inbox.body.approvals.map(({ action_id, verdict }) => ({
    action_id,
    decision: 'approve',
    proposal_hash: verdict.proposal_hash,
    request_hash: verdict.request_hash ?? null,
  }))
  const json = { decisions }
  const other = await signUp(service.call)
  expect(await other.browser.call('POST', owner.path('/approvals'), { json })).toMatchObject({ status: 404 })
  const elsewhere = await other.browser.call<DecisionResults>('POST', other.path('/approvals'), { json })
  expect(elsewhere.body.results.map(({ code }) => code)).toEqual(decisions.map(() => 'action_not_found'))
  const answer = await owner.browser.call<DecisionResults>('POST', owner.path('/approvals'), { json })
  expect(answer.body).toMatchObject({ applied: 3 })
})

it('a batch has 200 decisions at most, of different actions', async () => {
  const [one] = (await held(1)) as [BatchedDecision]
  const many = Array.from({ length: 201 }, () => one)
  expect(await decide(many)).toMatchObject({ status: 400, body: { code: 'validation_failed' } })
  const twice = await decide([one, { ...one, decision: 'reject' }])
  expect(twice.body.errors).toMatchObject([{ path: 'decisions[1].action_id', code: 'duplicate_action' }])
  expect(await events([one])).toEqual([])
})

it('two hundred are decided in less than a second', async () => {
  const best = []
  for (let round = 0; round < 3; round += 1) {
    const crowd = await service.tenant()
    const decisions = await held(200, crowd)
    const begun = performance.now()
    const { body } = await decide(decisions, crowd.approver)
    best.push(performance.now() - begun)
    expect(body.applied).toBe(200)
  }
  expect(Math.min(...best)).toBeLessThan(1_000)
})

it('batches are counted apart: a twentieth of the requests that a key may make', async () => {
  const bounded = await startService({ env: { SERVICE_RATE_LIMIT: '40' }, worker: null })
  const { approver: key } = await bounded.tenant()
  const action_id = `act_${'0'.repeat(36)}`
  const decisions = [{ action_id, decision: 'reject', proposal_hash: otherDigest, request_hash: null }]
  const statuses = []
  for (let round = 0; round < 3; round += 1)
    statuses.push((await bounded.call('POST', '/v1/approvals', { key, json: { decisions } })).status)
  const listed = await bounded.call('GET', '/v1/approvals', { key })
  await bounded.close()
  expect([...statuses, listed.status]).toEqual([200, 200, 429, 200])
})
