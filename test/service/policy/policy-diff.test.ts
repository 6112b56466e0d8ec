import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Problem } from '../../../shared/contract/base/errors.ts'
import type { PolicyDiff } from '../../../shared/contract/configuration/policy-diff.ts'
import { exampleOperation, examplePolicy } from '../../../shared/contract/examples/example-policy.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import type { TestTenant } from '../../support/service/tenant.ts'

const bound = (max: number) => ({
  ...examplePolicy,
  parameter_constraints: { payments: { refund: { amount: { max } } } },
})

describe.each([{ platform: false }, { platform: true }])('platform mode: $platform', ({ platform }) => {
  let service: TestService
  let tenant: TestTenant

  beforeAll(async () => {
    service = await startService({ platform })
    tenant = await service.tenant({
      policy: examplePolicy,
      actuators: [{ name: 'payments', kind: 'mock', settings: {} }],
    })
  })
  afterAll(() => service.close())

  const diff = (json: unknown, id = tenant.id) =>
    service.call<PolicyDiff & Problem>('POST', `/v1/tenants/${id}/policy/diff`, {
      admin: service.admin,
      json,
    })

  it('tells what a draft newly allows, with a proposal that both gates decided', async () => {
    const { status, body } = await diff({ policy: bound(900) })
    expect({ status, result: body.result }).toEqual({ status: 200, result: 'different' })
    const [change] = body.new_access.deny_to_allow.changes
    expect(change).toMatchObject({ operation: 'refund', before: 'deny', after: 'allow' })
    const decided = async (policy: object) => {
      const json = { proposal: change?.witness, policy }
      const path = `/v1/tenants/${tenant.id}/policy/check`
      const { body } = await service.call<{ decision: string }>('POST', path, { admin: service.admin, json })
      return body.decision
    }
    expect([await decided(examplePolicy), await decided(bound(900))]).toEqual(['deny', 'allow'])
    for (const group of Object.values(body.lost_access))
      expect(group).toMatchObject({ result: 'none', total: 0 })
  })

  it('tells what it newly holds and denies', async () => {
    const { body } = await diff({ policy: { ...bound(20), approval_required_at: 'low' } })
    expect(body.lost_access).toMatchObject({
      allow_to_deny: { result: 'some' },
      allow_to_needs_approval: { result: 'some' },
      needs_approval_to_deny: { result: 'some' },
    })
    for (const group of Object.values(body.new_access)) expect(group.result).toBe('none')
  })

  it('shows no difference for a rewrite that means the same, nor for no draft', async () => {
    const amount = { max: 50, required: true }
    const rewritten = {
      ...examplePolicy,
      allowed_systems: ['payments', 'payments'],
      parameter_constraints: { payments: { refund: { amount } } },
    }
    expect((await diff({ policy: rewritten })).body.result).toBe('equivalent')
    expect((await diff({})).body.result).toBe('equivalent')
  })

  it('compares catalogs too', async () => {
    const catalog = { operations: [{ ...exampleOperation, minimum_risk: 'high' }] }
    const { body } = await diff({ catalog })
    expect(body.lost_access.allow_to_needs_approval.changes[0]).toMatchObject({ operation: 'refund' })
    expect(body.new_access.deny_to_allow.result).toBe('none')
  })

  it('changes nothing, is of one tenant, and refuses what is no document', async () => {
    const revisions = await service.call<{ revisions: unknown[] }>(
      'GET',
      `/v1/tenants/${tenant.id}/policy/revisions`,
      { admin: service.admin },
    )
    expect(revisions.body.revisions).toHaveLength(1)
    expect((await diff({}, 'nobody')).body.code).toBe('tenant_not_found')
    const { body } = await diff({ policy: { allowed_systems: 1 } })
    expect(body.errors?.map(({ path }) => path)).toContain('policy.allowed_systems')
  })
})
