import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ActionSummary, HeldAction } from '../../../shared/contract/action/action.ts'
import { readActions, readVersions } from '../../../shared/store/action/actions.ts'
import { asReader } from '../../support/fixtures/ad-hoc.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import { proposal, type TestTenant } from '../../support/service/tenant.ts'

let service: TestService
let ours: TestTenant
let theirs: TestTenant
let foreign: string
let unknown: string

beforeAll(async () => {
  service = await startService()
  ours = await service.tenant()
  theirs = await service.tenant()
  foreign = (await theirs.submit({ risk: 'high', proposal_id: 'theirs-1' })).body.action_id
  unknown = foreign.slice(0, -4) + (foreign.endsWith('zzzz') ? 'yyyy' : 'zzzz')
})

afterAll(() => service.close())

/** An answer without what every answer has of its own: the id that was asked for, the request id, and the time. */
function likeness(id: string, answer: { status: number; text: string; headers: object }): string {
  const { date: _date, 'x-request-id': requestId, ...headers } = answer.headers as Record<string, string>
  const text = JSON.stringify({ status: answer.status, headers, text: answer.text })
  return text
    .replaceAll(id, '{id}')
    .replaceAll(String(requestId), '{request}')
    .replaceAll(/; r=\d+; t=\d+/g, '')
}

describe('another tenant’s action', () => {
  it.each([
    ['GET', '', 'agent'],
    ['GET', '?wait=1', 'agent'],
    ['GET', '/audit-export', 'agent'],
    ['POST', '/approve', 'approver'],
    ['POST', '/reject', 'approver'],
  ] as const)('%s %s answers byte for byte as one that never was', async (method, path, scope) => {
    const ask = (id: string) =>
      service.call(method, `/v1/actions/${id}${path}`, {
        key: ours[scope],
        headers: { 'if-none-match': '"x"' },
      })
    const [known, never] = [await ask(foreign), await ask(unknown)]
    expect(known.status).toBe(404)
    expect(likeness(foreign, known)).toBe(likeness(unknown, never))
  })

  it('is in none of our lists, also not by its cursor', async () => {
    const mine = (await ours.submit({ risk: 'high' })).body.action_id
    const actions = await service.call<{ actions: ActionSummary[] }>('GET', '/v1/actions', {
      key: ours.agent,
    })
    const held = await service.call<{ approvals: HeldAction[] }>('GET', '/v1/approvals', {
      key: ours.approver,
    })
    expect(actions.body.actions.map(({ action_id }) => action_id)).toEqual([mine])
    expect(held.body.approvals.map(({ action_id }) => action_id)).toEqual([mine])
    const after = await service.call<{ actions: ActionSummary[] }>('GET', `/v1/actions?cursor=${foreign}`, {
      key: ours.agent,
    })
    expect(after.body.actions.every(({ action_id }) => action_id === mine)).toBe(true)
  })

  it('is still as it was', async () => {
    const trace = await theirs.trace(foreign)
    expect(trace).toMatchObject({ status: 'pending_approval', tenant_id: theirs.id })
    expect(trace.events).toHaveLength(2)
  })

  it('takes no proposal id from us', async () => {
    const { status, body } = await ours.submit({ proposal_id: 'theirs-1', summary: 'Ours' })
    expect({ status, tenant: body.principal.tenant_id }).toEqual({ status: 200, tenant: ours.id })
  })
})

describe('a proposal', () => {
  it('is decided by the policy of its key’s tenant alone, whatever its body claims', async () => {
    const strict = await service.tenant({
      policy: { allowed_systems: [], approval_required_at: 'low', review_route: 'nobody' },
    })
    const body = { ...proposal(), actor: { agent_id: ours.id, run_id: ours.agent.split('.')[0] } }
    const { body: verdict } = await service.call('POST', '/v1/actions', { key: strict.agent, json: body })
    expect(verdict).toMatchObject({ decision: 'deny', principal: { tenant_id: strict.id } })
  })
})

describe('readings that share a statement', () => {
  const version = (id: string, tenant: TestTenant) =>
    service.call('GET', `/v1/actions/${id}`, { key: tenant.agent, headers: { 'if-none-match': '"x"' } })

  it('see what each of them may see, whoever asks at the same moment', async () => {
    const mine = (await ours.submit({ risk: 'high' })).body.action_id
    const asked = [
      [mine, ours, 200],
      [foreign, theirs, 200],
      [foreign, ours, 404],
      [mine, theirs, 404],
      [unknown, ours, 404],
    ] as const
    const together = Array.from({ length: 8 }, () => asked).flat()
    const answers = await Promise.all(together.map(([id, tenant]) => version(id, tenant)))
    expect(answers.map(({ status }) => status)).toEqual(together.map(([, , status]) => status))
    for (const [at, { status, body }] of answers.entries()) {
      if (status === 200) expect(body).toMatchObject({ action_id: together[at]?.[0] })
    }
  })

  it('confirm keys of their own tenant alone', async () => {
    const keyIds = await asReader<{ tenant_id: string; key_id: string }>(
      service.context.store,
      `select tenant_id, key_id from api_keys where tenant_id in ('${ours.id}', '${theirs.id}') and scope = 'agent'`,
    )
    const keyOf = (tenant: TestTenant) =>
      keyIds.find(({ tenant_id }) => tenant_id === tenant.id)?.key_id ?? ''
    expect(keyIds).toHaveLength(2)
    const wanted = [ours, theirs, null].map(tenant => ({
      tenant_id: theirs.id,
      action_id: foreign,
      key_id: tenant && keyOf(tenant),
    }))
    const scope = [ours.id, theirs.id]
    for (const read of [readVersions, readActions]) {
      const found = await read(service.context.store.readEach(scope), wanted)
      expect(found.map(stored => stored?.key_good)).toEqual([false, true, true])
    }
  })
})
