import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Review } from '../../../shared/contract/action/review-schema.ts'
import type { Problem } from '../../../shared/contract/base/errors.ts'
import { limits } from '../../../shared/contract/base/limits.ts'
import { exampleOperation, examplePolicy } from '../../../shared/contract/examples/example-policy.ts'
import { asSuperuser } from '../../support/servers/superuser.ts'
import { signUp } from '../../support/service/owner.ts'
import { plantHeld } from '../../support/service/plant-held.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import { plainPolicy, type TestTenant } from '../../support/service/tenant.ts'

let service: TestService
beforeAll(async () => {
  service = await startService({ env: { SERVICE_HOSTED_ACCOUNTS: 'true' }, worker: null })
})
afterAll(() => service.close())

const actuators = ['crm', 'payments'].map(name => ({ name, kind: 'mock' as const, settings: {} }))
const policy = { ...plainPolicy, allowed_systems: ['crm', 'payments'], approval_required_at: 'low' as const }

async function hold({ submit }: TestTenant, change: object = {}): Promise<string> {
  const { action_id, decision } = (await submit({ risk: 'medium', ...change })).body
  expect(decision).toBe('needs_approval')
  return action_id
}

function review(id: string, key: string) {
  return service.call<Review & Problem>('GET', `/v1/approvals/${id}/review`, { key })
}

describe('the review of a held action', () => {
  it('counts what the same key had held, by what became of it', async () => {
    const tenant = await service.tenant({ policy, actuators })
    await tenant.reject(await hold(tenant))
    await tenant.approve(await hold(tenant))
    await tenant.approve(await hold(tenant, { system: 'payments', operation: 'refund' }))
    const withdrawn = await hold(tenant, { system: 'payments', operation: 'refund' })
    await service.call('POST', `/v1/actions/${withdrawn}/cancel`, { key: tenant.agent })
    const id = await hold(tenant)
    const { status, body } = await review(id, tenant.approver)
    const none = { expired: 0, edited: 0 }
    expect(status).toBe(200)
    expect(body.history).toMatchObject({
      by_key: { asked: 5, waiting: 1, approved: 2, rejected: 1, withdrawn: 1, ...none },
      of_operation: { asked: 3, waiting: 1, approved: 1, rejected: 1, withdrawn: 0, ...none },
      complete: true,
    })
    expect(Date.now() - Date.parse(body.history.since)).toBeGreaterThanOrEqual(24 * 3_600_000 - 60_000)
  })

  it('counts nothing older, nothing of others, and nothing that nobody decided', async () => {
    const tenant = await service.tenant({
      policy: { ...policy, approval_required_at: 'medium' },
      actuators,
    })
    const other = await service.tenant({ policy, actuators })
    await hold(other)
    const old = await hold(tenant)
    await asSuperuser(
      service.database,
      `update action_gate.actions set held_at = now() - interval '25 hours' where action_id = '${old}'`,
    )
    expect((await tenant.submit({ risk: 'low' })).body.decision).toBe('allow')
    const { body } = await review(await hold(tenant), tenant.approver)
    expect(body.history.by_key.asked).toBe(1)
  })

  it('counts the latest up to a bound, and says that there are more', async () => {
    const tenant = await service.tenant({ policy, actuators })
    const id = await hold(tenant)
    await plantHeld(service, id, limits.review_counted_max)
    const { body } = await review(id, tenant.approver)
    expect(body.history.by_key.asked).toBe(limits.review_counted_max)
    expect(body.history.complete).toBe(false)
  })

  it('says what would no longer be asked under each higher threshold', async () => {
    const tenant = await service.tenant({ policy, actuators })
    await hold(tenant, { risk: 'high' })
    await hold(tenant, { risk: 'low', system: 'payments', operation: 'refund' })
    const { body } = await review(await hold(tenant), tenant.approver)
    expect(body.spared).toEqual([
      { approval_required_at: 'medium', this_action: false, by_key: 1, of_operation: 0 },
      { approval_required_at: 'high', this_action: true, by_key: 2, of_operation: 1 },
    ])
    const high = await review(await hold(tenant, { risk: 'high' }), tenant.approver)
    expect(high.body.spared.map(({ this_action }) => this_action)).toEqual([false, false])
  })

  it('says what the rules in force now would decide, and the hold stays', async () => {
    const tenant = await service.tenant({ policy, actuators })
    const id = await hold(tenant)
    expect((await review(id, tenant.approver)).body.in_force).toMatchObject({
      decision: 'needs_approval',
      policy: { revision: 1 },
    })
    const narrower = { ...policy, allowed_systems: ['payments'] }
    const put = await service.call('PUT', `/v1/tenants/${tenant.id}/policy`, {
      admin: service.admin,
      json: narrower,
    })
    expect(put.status).toBe(200)
    const { body } = await review(id, tenant.approver)
    expect(body.in_force).toMatchObject({ decision: 'deny', policy: { revision: 2 } })
    expect(body.spared.every(({ this_action }) => !this_action)).toBe(true)
    expect((await tenant.trace(id)).status).toBe('pending_approval')
  })

  it('shows the entry of the catalog that governed, to whoever has a key', async () => {
    const tenant = await service.tenant({
      policy: { ...examplePolicy, parameter_constraints: {} },
      actuators,
    })
    const parameters = { amount: 1, currency: 'EUR', order: { id: '1001' } }
    const refund = { system: 'payments', operation: 'refund', parameters }
    const path = `/v1/tenants/${tenant.id}/catalog`
    const revise = async (method: 'POST' | 'PUT', title: string) => {
      const json = { operations: [{ ...exampleOperation, title }] }
      return (await service.call(method, path, { admin: service.admin, json })).status
    }
    const before = await hold(tenant, refund)
    expect(await revise('POST', 'Refund an order')).toBe(201)
    const under = await hold(tenant, refund)
    expect(await revise('PUT', 'Something else')).toBe(200)
    expect((await review(before, tenant.approver)).body.reviewed).toBeNull()
    expect((await review(under, tenant.approver)).body.reviewed).toMatchObject({ title: 'Refund an order' })
  })

  it('is there for those who may decide, also once it is decided', async () => {
    const tenant = await service.tenant({ policy, actuators })
    const id = await hold(tenant)
    expect((await review(id, tenant.agent)).status).toBe(403)
    const other = await service.tenant({ policy, actuators })
    expect((await review(id, other.approver)).body.code).toBe('action_not_found')
    await tenant.reject(id)
    expect((await review(id, tenant.approver)).body.history.by_key).toMatchObject({ rejected: 1 })
    const { body: allowed } = await tenant.submit({ risk: 'low', system: 'elsewhere' })
    expect((await review(allowed.action_id, tenant.approver)).body.code).toBe('action_not_found')
    const owner = await signUp(service.call)
    const owned = `/v1/accounts/tenants/${owner.tenant_id}/approvals/${id}/review`
    expect((await owner.browser.call('GET', owned)).status).toBe(404)
  })
})
