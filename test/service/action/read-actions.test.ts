import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { ActionSummary, Trace } from '../../../shared/contract/action/action.ts'
import type { Problem } from '../../../shared/contract/base/errors.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import { crm, proposal, type TestTenant } from '../../support/service/tenant.ts'

interface Listed {
  actions: ActionSummary[]
  next_cursor: string | null
}

const slow = { name: 'slow', kind: 'mock', settings: { delay_ms: 60_000 } } as const

let service: TestService
let tenant: TestTenant

beforeAll(async () => {
  service = await startService({ env: { SERVICE_SHUTDOWN_MS_MAX: '100' } })
  tenant = await service.tenant({
    policy: { allowed_systems: ['crm', 'slow'], approval_required_at: 'medium', review_route: 'leads' },
    actuators: [crm, slow],
  })
})

afterAll(() => service.close())

function read(id: string, query = '', headers: Record<string, string> = {}) {
  return service.call<Trace & Pick<Problem, 'code'>>('GET', `/v1/actions/${id}${query}`, {
    key: tenant.agent,
    headers,
  })
}

function list(query = '', key = tenant.agent) {
  return service.call<Listed & Problem>('GET', `/v1/actions${query}`, { key })
}

describe('the trace of an action', () => {
  it('has everything that happened, in order', async () => {
    const sent = proposal({ proposal_id: 'traced-1', parameters: { contact: 42, note: 'é 😀' } })
    const { body: verdict } = await tenant.submit({
      proposal_id: 'traced-1',
      parameters: { contact: 42, note: 'é 😀' },
    })
    const { status, body } = await read(verdict.action_id)
    expect(status).toBe(200)
    expect(body).toMatchObject({
      action_id: verdict.action_id,
      tenant_id: tenant.id,
      proposal: sent,
      status: 'executed',
      verdict: { decision: 'allow', checks: verdict.checks, principal: verdict.principal },
      approval: null,
      execution: { outcome: 'ok', attempt: 1, result: verdict.result, error: null },
      job: { state: 'done', attempt: 1, max_attempts: 3, lease_owner: null, last_error: null },
      audit_root: verdict.audit.root,
    })
    expect(body.events.map(({ sequence, kind, principal }) => [sequence, kind, principal.kind])).toEqual([
      [0, 'proposal_received', 'agent'],
      [1, 'verdict', 'gate'],
      [2, 'execution_attempt', 'worker'],
      [3, 'execution', 'worker'],
    ])
    const times = body.events.map(({ at }) => at)
    expect(times).toEqual([...times].sort())
    expect({ created: body.created_at, updated: body.updated_at }).toEqual({
      created: times[0],
      updated: times[3],
    })
  })

  it('of a settled action has no Retry-After, of any other it has', async () => {
    const settled = await tenant.submit()
    const waiting = await tenant.submit({ risk: 'high' })
    expect((await read(settled.body.action_id)).headers['retry-after']).toBeUndefined()
    expect((await read(waiting.body.action_id)).headers['retry-after']).toBe('1')
  })

  it('is unchanged, 304, as long as nothing happened', async () => {
    const { body } = await tenant.submit({ risk: 'high' })
    const first = await read(body.action_id)
    const etag = first.headers.etag ?? ''
    expect(etag).toMatch(/^"[\w-]+"$/)
    for (const known of [etag, `W/${etag}`, `"1-of-before", W/${etag}`, '*']) {
      const again = await read(body.action_id, '', { 'if-none-match': known })
      expect({ status: again.status, text: again.text, etag: again.headers.etag }).toEqual({
        status: 304,
        text: '',
        etag,
      })
    }
    await tenant.approve(body.action_id)
    const after = await read(body.action_id, '', { 'if-none-match': etag })
    expect(after.status).toBe(200)
    expect(after.headers.etag).not.toBe(etag)
  })
})

describe('waiting for an action', () => {
  it('ends when the action is settled', async () => {
    const { body } = await tenant.submit({}, { prefer: 'wait=0' })
    expect((await read(body.action_id, '?wait=30')).body.status).toBe('executed')
  })

  it('ends when it differs from what the caller knows', async () => {
    const { body } = await tenant.submit({ risk: 'high' })
    const { headers } = await read(body.action_id)
    const waiting = read(body.action_id, '?wait=30', { 'if-none-match': headers.etag ?? '' })
    await tenant.reject(body.action_id)
    const { status, body: trace } = await waiting
    expect({ status, now: trace.status }).toEqual({ status: 200, now: 'denied' })
  })

  it('of a settled action does not wait at all, whatever the caller knows', async () => {
    const { body } = await tenant.submit()
    const { headers } = await read(body.action_id, '?wait=30')
    expect((await read(body.action_id, '?wait=30', { 'if-none-match': headers.etag ?? '' })).status).toBe(304)
  })

  it('ends after the time asked for, with what there is', async () => {
    const { body } = await tenant.submit({ risk: 'high' })
    const begun = performance.now()
    const { status, body: trace } = await read(body.action_id, '?wait=1')
    expect(performance.now() - begun).toBeGreaterThanOrEqual(990)
    expect({ status, now: trace.status }).toEqual({ status: 200, now: 'pending_approval' })
  })

  it('shows nothing to a key that is revoked meanwhile, though it was good at first', async () => {
    const { body: held } = await tenant.submit({ risk: 'high' })
    const keys = `/v1/tenants/${tenant.id}/api-keys`
    const { body: minted } = await service.call<{ key: { key_id: string }; api_key: string }>('POST', keys, {
      admin: service.admin,
      json: { name: 'lost' },
    })
    const waits = vi.spyOn(service.context.watch, 'changed')
    const path = `/v1/actions/${held.action_id}?wait=30`
    const waiting = service.call<Pick<Trace, 'events'> & Problem>('GET', path, { key: minted.api_key })
    await expect.poll(() => waits.mock.calls.length).toBe(1)
    const revoked = await service.call('POST', `${keys}/${minted.key.key_id}/revoke`, {
      admin: service.admin,
    })
    expect(revoked.status).toBe(200)
    await tenant.reject(held.action_id, { note: 'for those who may read' })
    const { status, body } = await waiting
    expect([status, body.code, body.events]).toEqual([403, 'key_revoked', undefined])
    waits.mockRestore()
  })

  it.each(['?wait=31', '?wait=-1', '?wait=x', '?wait=', '?wait=1.5', '?wait=1&wait=2', '?since=1'])(
    '%s is refused',
    async query => {
      const { body } = await tenant.submit()
      const answer = await read(body.action_id, query)
      expect({ status: answer.status, code: answer.body.code }).toEqual({
        status: 400,
        code: 'validation_failed',
      })
    },
  )
})

describe('the list of actions', () => {
  it('has the tenant’s own, newest first, and what each is about', async () => {
    const mine = await service.tenant()
    const ids: string[] = []
    for (const risk of ['low', 'high', 'low'] as const)
      ids.unshift((await mine.submit({ risk })).body.action_id)
    const { status, body } = await list('', mine.agent)
    expect({ status, cursor: body.next_cursor }).toEqual({ status: 200, cursor: null })
    expect(body.actions.map(({ action_id }) => action_id)).toEqual(ids)
    expect(body.actions[1]).toMatchObject({
      status: 'pending_approval',
      decision: 'needs_approval',
      agent_id: 'agent-1',
      summary: 'Read a contact',
      target_system: 'crm',
      operation: 'read',
      effective_risk: 'high',
    })
  })

  it('can be of one status', async () => {
    const mine = await service.tenant()
    const held = await mine.submit({ risk: 'high' })
    const denied = await mine.submit({ system: 'erp' })
    const executed = await mine.submit()
    const found = async (status: string) =>
      (await list(`?status=${status}`, mine.agent)).body.actions.map(({ action_id }) => action_id)
    expect(await found('pending_approval')).toEqual([held.body.action_id])
    expect(await found('denied')).toEqual([denied.body.action_id])
    expect(await found('executed')).toEqual([executed.body.action_id])
    expect(await found('outcome_unknown')).toEqual([])
  })

  it('is read page by page over all statuses, each action once, while new ones arrive', async () => {
    const mine = await service.tenant()
    const ids: string[] = []
    for (let at = 0; at < 7; at += 1) {
      ids.unshift((await mine.submit({ risk: at % 2 === 0 ? 'low' : 'high' })).body.action_id)
    }
    const seen: string[] = []
    let query = '?limit=3'
    for (let page = 0; page < 5 && query !== ''; page += 1) {
      const { body } = await list(query, mine.agent)
      seen.push(...body.actions.map(({ action_id }) => action_id))
      query = body.next_cursor === null ? '' : `?limit=3&cursor=${body.next_cursor}`
      await mine.submit()
    }
    expect(seen).toEqual(ids)
  })

  it.each([
    '?limit=0',
    '?limit=201',
    '?limit=01x',
    '?limit=',
    '?limit[]=1',
    '?status=done',
    '?status=',
    '?status=denied&status=executed',
    '?cursor=act_x',
    '?cursor=',
    '?cursor=%00',
    '?tenant_id=other',
    '?__proto__=1',
  ])('%s is refused', async query => {
    const { status, body } = await list(query)
    expect({ status, code: body.code, errors: body.errors?.length }).toEqual({
      status: 400,
      code: 'validation_failed',
      errors: 1,
    })
  })

  it('takes the bounds', async () => {
    expect((await list('?limit=1')).body.actions).toHaveLength(1)
    expect((await list('?limit=200')).status).toBe(200)
  })
})
