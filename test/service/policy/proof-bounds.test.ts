import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { OwnedTenantCreated } from '../../../shared/contract/account.ts'
import type { Problem } from '../../../shared/contract/base/errors.ts'
import { examplePolicy } from '../../../shared/contract/examples/example-policy.ts'
import { issueAdminKey } from '../../../shared/flow/tenant/issue-key.ts'
import { admitTogether } from '../../support/service/end-while-asking.ts'
import type { Answer } from '../../support/service/http.ts'
import { logIn, newBrowser, signUp, type TestOwner } from '../../support/service/owner.ts'
import { startService, type TestService } from '../../support/service/service.ts'

/** So many operations that to compare two of these, or to prove something of one, takes much longer than to ask. */
const wide = (most: number) => ({
  ...examplePolicy,
  allowed_operations: { payments: Array.from({ length: 400 }, (_, at) => `op-${at}`) },
  parameter_constraints: {
    payments: Object.fromEntries(
      Array.from({ length: 400 }, (_, at) => [`op-${at}`, { amount: { min: at, max: at + most } }]),
    ),
  },
})
const forbidden = Array.from({ length: 100 }, (_, at) => ({
  name: `outcome ${at}`,
  where: { amount: { min: 2_000_000 + at } },
}))
const proof = { policy: wide(1_000), forbidden }

let service: TestService
beforeAll(async () => {
  service = await startService({ worker: null, env: { SERVICE_HOSTED_ACCOUNTS: 'true' } })
})
afterAll(() => service.close())

type Answered = Answer<Problem>
const details = (answers: readonly Answered[]) =>
  answers.map(({ status, body }) => (status === 429 ? `${body.code}: ${body.detail}` : String(status))).sort()
const times = <Made>(count: number, make: (at: number) => Made) =>
  Array.from({ length: count }, (_, at) => make(at))

async function operators(count: number): Promise<string[]> {
  return Promise.all(times(count, at => issueAdminKey(service.context, `operator ${at} ${Math.random()}`)))
}

describe('proofs under way', () => {
  it('about a tenant are eight at most, whatever keys of operators ask', async () => {
    const [{ id }, other] = [await service.tenant(), await service.tenant()]
    const keys = await operators(3)
    const verify = (tenantId: string, at: number) =>
      service.call<Problem>('POST', `/v1/tenants/${tenantId}/policy/verify`, {
        admin: keys[at % keys.length] ?? '',
        json: proof,
      })
    const asked = times(10, at => verify(id, at))
    const beside = verify(other.id, 0)
    const full = `too_many_proofs: tenant ${id} for operators has 8 under way, as many as it may`
    expect(details(await Promise.all(asked))).toEqual([...Array(8).fill('200'), full, full])
    expect((await beside).status).toBe(200)
    expect((await verify(id, 0)).status).toBe(200)
  }, 120_000)

  it('of an owner are eight of an application and 16 in all, over their sessions', async () => {
    const owner = await signUp(service.call)
    const second = newBrowser(service.call)
    await logIn(second, owner)
    const tenants = [owner.tenant_id, await application(owner), await application(owner)]
    const diff = (browser: TestOwner['browser'], tenantId: string | undefined) =>
      browser.call<Problem>('POST', `/v1/accounts/tenants/${tenantId}/policy/diff`, {
        json: { policy: wide(1_000) },
      })
    for (const id of tenants) await replacePolicy(id, wide(900))
    admitTogether(service, 9)
    const nine = times(9, at => diff(at % 2 === 0 ? owner.browser : second, tenants[0]))
    await firstRefused(nine)
    admitTogether(service, 9)
    const others = times(9, at => diff(at % 2 === 0 ? owner.browser : second, tenants[1 + (at % 2)]))
    await firstRefused(others)
    // Neither an operator nor another owner waits for all of them.
    const stranger = await signUp(service.call)
    await replacePolicy(stranger.tenant_id, wide(900))
    const operator = await replacePolicy(tenants[0] ?? '', wide(800))
    expect(operator.status).toBe(200)
    const { organization_id } = owner.signed_up.organization
    const full = `organization ${organization_id} has 16 under way, as many as it may`
    expect(details(await Promise.all([...nine, ...others]))).toEqual([
      ...Array(16).fill('200'),
      `too_many_proofs: ${full}`,
      `too_many_proofs: tenant ${tenants[0]} has 8 under way, as many as it may`,
    ])
    expect((await diff(stranger.browser, stranger.tenant_id)).status).toBe(200)
  }, 120_000)
})

/** Waits for an answer that refuses: all of them have arrived then, and are under way. */
function firstRefused(answers: readonly Promise<Answered>[]): Promise<unknown> {
  return Promise.any(answers.map(async answer => expect((await answer).status).toBe(429)))
}

function replacePolicy(tenantId: string, policy: unknown): Promise<Answered> {
  return service.call<Problem>('PUT', `/v1/tenants/${tenantId}/policy`, {
    admin: service.admin,
    json: { policy },
  })
}

async function application(owner: TestOwner): Promise<string> {
  const json = { name: 'another', template: 'support' }
  const { body } = await owner.browser.call<OwnedTenantCreated>('POST', '/v1/accounts/tenants', { json })
  return body.tenant.tenant_id
}
