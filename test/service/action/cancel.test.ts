import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { DecisionResponse } from '../../../shared/contract/action/action.ts'
import type { Problem } from '../../../shared/contract/base/errors.ts'
import { plantKey } from '../../support/service/plant-key.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import type { TestTenant } from '../../support/service/tenant.ts'

let service: TestService
let tenant: TestTenant

beforeAll(async () => {
  service = await startService()
  tenant = await service.tenant()
})

afterAll(() => service.close())

const cancel = (id: string, key: string, json: object = {}) =>
  service.call<DecisionResponse & Problem>('POST', `/v1/actions/${id}/cancel`, { key, json })

async function held(): Promise<string> {
  return (await tenant.submit({ risk: 'high' })).body.action_id
}

describe('POST /v1/actions/{action_id}/cancel', () => {
  it('withdraws a held action, with a note in the audit', async () => {
    const id = await held()
    const { status, body } = await cancel(id, tenant.agent, { note: 'no longer needed' })
    expect({ status, is: body.action_status }).toEqual({ status: 200, is: 'denied' })
    const trace = await tenant.trace(id)
    expect(trace.approval).toMatchObject({ decision: 'cancelled', note: 'no longer needed' })
    expect(trace.events.at(-1)).toMatchObject({ kind: 'cancellation', principal: { kind: 'agent' } })
    expect(trace.job).toBeNull()
    expect((await tenant.approve(id)).status).toBe(409)
    expect((await cancel(id, tenant.agent)).body.code).toBe('action_not_approvable')
  })

  it('is for the key that proposed it alone', async () => {
    const id = await held()
    const key = { name: 'other', scope: 'agent', tenant_id: tenant.id, expires_at: null } as const
    const { api_key } = await plantKey(service.context, key)
    expect((await cancel(id, api_key)).body.code).toBe('not_the_proposer')
    expect((await cancel(id, tenant.approver)).body.code).toBe('wrong_scope')
    expect((await cancel(id, (await service.tenant()).agent)).body.code).toBe('action_not_found')
    expect((await tenant.trace(id)).status).toBe('pending_approval')
  })

  it('against approvals and rejections at once, exactly one wins', async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, held))
    const rounds = await Promise.all(
      ids.map(id => Promise.all([tenant.approve(id), cancel(id, tenant.agent), tenant.reject(id)])),
    )
    for (const answers of rounds) {
      expect(answers.map(({ status }) => Math.floor(status / 100)).sort()).toEqual([2, 4, 4])
    }
  })

  it('comes too late for what is executed', async () => {
    const { body } = await tenant.submit()
    expect((await cancel(body.action_id, tenant.agent)).body.code).toBe('action_not_approvable')
  })
})

describe('an approval', () => {
  it('names what was approved, and is refused for a proposal that was not the seen one', async () => {
    const id = await held()
    const { verdict } = await tenant.trace(id)
    const other = `sha256:${'0'.repeat(64)}`
    expect(await tenant.approve(id, { proposal_hash: other })).toMatchObject({
      status: 409,
      body: { code: 'proposal_mismatch' },
    })
    expect((await tenant.approve(id, { proposal_hash: verdict.proposal_hash })).status).toBe(200)
    const { events } = await tenant.trace(id)
    expect(events.find(({ kind }) => kind === 'approval')?.body?.proposal_hash).toBe(verdict.proposal_hash)
  })

  it('is not made with a key whose revocation was committed before it', async () => {
    for (let round = 0; round < 10; round += 1) {
      const key = { name: 'lead', scope: 'approver', tenant_id: tenant.id, expires_at: null } as const
      const { api_key, key: minted } = await plantKey(service.context, key)
      const ids = await Promise.all([held(), held(), held()])
      const approve = (id: string) =>
        service.call<Problem>('POST', `/v1/actions/${id}/approve`, { key: api_key, json: {} })
      const revoke = service.call('POST', `/v1/tenants/${tenant.id}/api-keys/${minted.key_id}/revoke`, {
        admin: service.admin,
      })
      const [, ...approvals] = await Promise.all([revoke, ...ids.map(approve)])
      const trouble = approvals.filter(({ status, body }) => status !== 200 && body.code !== 'key_revoked')
      expect(trouble).toEqual([])
      expect((await approve(ids[0] ?? '')).body.code).toBe('key_revoked')
    }
  })
})
