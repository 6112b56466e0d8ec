import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { HeldAction, Trace } from '../../../shared/contract/action/action.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import type { TestTenant } from '../../support/service/tenant.ts'

let service: TestService
let tenant: TestTenant
let stranger: TestTenant

beforeAll(async () => {
  service = await startService()
  tenant = await service.tenant()
  stranger = await service.tenant()
})

afterAll(() => service.close())

const unknown = `act_${'0'.repeat(36)}`

function read<Body>(path: string, key = tenant.approver, headers: Record<string, string> = {}) {
  return service.call<Body>('GET', path, { key, headers })
}

async function submitted(risk: 'low' | 'high'): Promise<string> {
  return (await tenant.submit({ risk })).body.action_id
}

describe('the trace of an action, for an approver', () => {
  it('is there while it is held, and after it was decided', async () => {
    const id = await submitted('high')
    const held = await read<Trace>(`/v1/actions/${id}`)
    expect([held.status, held.body.status]).toEqual([200, 'pending_approval'])
    await tenant.reject(id, { note: 'no' })
    expect((await read<Trace>(`/v1/actions/${id}?wait=1`)).body.outcome).toMatchObject({ code: 'rejected' })
  })

  it('is there for whoever polls what they approved', async () => {
    const id = await submitted('high')
    await tenant.approve(id, {}, { prefer: 'wait=0' })
    expect((await read<Trace>(`/v1/actions/${id}?wait=30`)).body.status).toBe('executed')
  })

  it.each([
    ['read', '', {}],
    ['waited for', '?wait=1', {}],
    ['asked for by its version', '', { 'if-none-match': '*' }],
  ])('that was never held is not there, %s', async (_, query, headers) => {
    const id = await submitted('low')
    expect((await tenant.trace(id)).status).toBe('executed')
    const [own, none] = await Promise.all(
      [id, unknown].map(action => read(`/v1/actions/${action}${query}`, tenant.approver, headers)),
    )
    expect([own?.status, none?.status]).toEqual([404, 404])
    const [said, unsaid] = [own, none].map(answer =>
      JSON.stringify(answer?.body).replaceAll(/act_\w+/g, 'act'),
    )
    expect(said?.replace(/"request_id":"[^"]*"/, '')).toBe(unsaid?.replace(/"request_id":"[^"]*"/, ''))
  })

  it('of another tenant is not there', async () => {
    const id = await submitted('high')
    expect((await read(`/v1/actions/${id}`, stranger.approver)).status).toBe(404)
    expect((await read(`/v1/approvals/${id}`, stranger.approver)).status).toBe(404)
  })
})

describe('one held action', () => {
  it('is as the list has it', async () => {
    const [, id] = [await submitted('high'), await submitted('high'), await submitted('high')]
    const { body: page } = await read<{ approvals: HeldAction[] }>('/v1/approvals')
    const { status, body } = await read<HeldAction>(`/v1/approvals/${id}`)
    expect([status, body]).toEqual([200, page.approvals.find(({ action_id }) => action_id === id)])
    expect(body.verdict.request).toEqual({ kind: 'mock', operation: 'read' })
  })

  it('is not there once it was decided, and never was where it was not held', async () => {
    const decided = await submitted('high')
    await tenant.reject(decided)
    for (const id of [decided, await submitted('low'), unknown])
      expect((await read(`/v1/approvals/${id}`)).status).toBe(404)
  })

  it('is for approvers', async () => {
    const id = await submitted('high')
    expect((await read(`/v1/approvals/${id}`, tenant.agent)).status).toBe(403)
  })
})
