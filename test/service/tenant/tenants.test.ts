import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Verdict } from '../../../shared/contract/action/verdict.ts'
import type { Problem } from '../../../shared/contract/base/errors.ts'
import type { CatalogRevision } from '../../../shared/contract/configuration/catalog.ts'
import type { Integration } from '../../../shared/contract/configuration/getting-started.ts'
import type { Policy } from '../../../shared/contract/configuration/policy.ts'
import type { PolicyState, Tenant } from '../../../shared/contract/configuration/tenant.ts'
import { exampleOperation } from '../../../shared/contract/examples/example-policy.ts'
import { policyTemplates } from '../../../shared/gate/templates.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import { plainPolicy, proposal } from '../../support/service/tenant.ts'
import { titled } from '../../support/short.ts'

interface Created {
  tenant_id: string
  policy: Policy
  api_key: string
  integration: Integration
}
interface Listed {
  tenants: Tenant[]
  next_cursor: string | null
}

let service: TestService

beforeAll(async () => {
  service = await startService()
})

afterAll(() => service.close())

function create(json: object) {
  return service.call<Created & Problem>('POST', '/v1/tenants', { admin: service.admin, json })
}

function list(query = '') {
  return service.call<Listed>('GET', `/v1/tenants${query}`, { admin: service.admin })
}

describe('creating a tenant', () => {
  it('with a policy answers 201 with an agent key that can submit', async () => {
    const { status, body } = await create({
      tenant_id: 'shop',
      policy: plainPolicy,
      mock_actuators: ['crm'],
      key_name: 'first',
    })
    expect(status).toBe(201)
    expect(body).toMatchObject({ tenant_id: 'shop', policy: { ...plainPolicy, allowed_operations: {} } })
    expect(body.api_key).toMatch(/^agk_/)
    const submitted = await service.call<Verdict>('POST', '/v1/actions', {
      key: body.api_key,
      json: proposal(),
    })
    expect(submitted.body).toMatchObject({ action_status: 'executed', principal: { name: 'first' } })
  })

  it.each(policyTemplates.map(({ name, example_proposal }) => ({ name, example_proposal })))(
    'from the template $name has its mocks, and decides its example as it says',
    async ({ name, example_proposal }) => {
      const { body } = await create({ tenant_id: `from-${name}`, template: name })
      const decided = await service.call<Verdict>('POST', '/v1/actions', {
        key: body.api_key,
        json: example_proposal,
      })
      expect(decided.body.decision).not.toBe('deny')
    },
  )

  it('answers the integration bundle that its key would be given', async () => {
    const { body } = await create({ tenant_id: 'bundled', policy: plainPolicy, mock_actuators: ['crm'] })
    const { status, body: bundle } = await service.call('GET', '/v1/integration', { key: body.api_key })
    expect({ status, bundle }).toEqual({ status: 200, bundle: body.integration })
    const decided = await service.call<Verdict>('POST', '/v1/actions', {
      key: body.api_key,
      json: body.integration.example_proposal,
    })
    expect(decided.body.decision).toBe('allow')
  })

  it('with a catalog has both in force from the start', async () => {
    const catalog = { operations: [exampleOperation] }
    const policy = { ...plainPolicy, allowed_systems: ['payments'] }
    await create({ tenant_id: 'reviewed', policy, catalog, mock_actuators: ['payments'] })
    const read = <Body>(what: string) =>
      service.call<Body>('GET', `/v1/tenants/reviewed/${what}`, { admin: service.admin })
    const { body: made } = await read<CatalogRevision>('catalog')
    expect(made).toMatchObject({ revision: 1, catalog })
    expect((await read<PolicyState>('policy')).body).toMatchObject({
      revision: 1,
      catalog_hash: made.catalog_hash,
    })
  })

  it('without actuators makes one whose every proposal is denied', async () => {
    const { body } = await create({ tenant_id: 'bare', policy: plainPolicy })
    const { body: verdict } = await service.call<Verdict>('POST', '/v1/actions', {
      key: body.api_key,
      json: proposal(),
    })
    expect(verdict.blocking_reasons.map(reason => reason.split(':')[0])).toEqual(['actuator_not_registered'])
  })

  it('whose id is taken is a conflict, and the first stays as it was', async () => {
    const first = await create({ tenant_id: 'taken', policy: plainPolicy })
    const second = await create({ tenant_id: 'taken', policy: { ...plainPolicy, review_route: 'others' } })
    expect({ status: second.status, code: second.body.code }).toEqual({
      status: 409,
      code: 'tenant_conflict',
    })
    const { body } = await service.call<Tenant>('GET', '/v1/tenants/taken/policy', { admin: service.admin })
    expect(body.policy).toEqual(first.body.policy)
  })

  it('twenty times at once makes it once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => create({ tenant_id: 'crowd', policy: plainPolicy })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([
      201,
      ...Array.from({ length: 19 }, () => 409),
    ])
  })

  it.each(
    titled(
      [
        [{}, ['tenant_id']],
        [{ tenant_id: 'x' }, ['policy']],
        [{ tenant_id: '', policy: plainPolicy }, ['tenant_id']],
        [{ tenant_id: 'a/b', policy: plainPolicy }, ['tenant_id']],
        [{ tenant_id: '.x', policy: plainPolicy }, ['tenant_id']],
        [{ tenant_id: 'x'.repeat(101), policy: plainPolicy }, ['tenant_id']],
        [{ tenant_id: 'x', policy: plainPolicy, template: 'support' }, ['policy']],
        [{ tenant_id: 'x', template: 'nothing' }, ['template']],
        [{ tenant_id: 'x', policy: [] }, ['policy']],
        [{ tenant_id: 'x', policy: { ...plainPolicy, review_route: '' } }, ['policy.review_route']],
        [{ tenant_id: 'x', policy: { ...plainPolicy, extra: 1 } }, ['policy.extra']],
        [{ tenant_id: 'x', policy: plainPolicy, catalog: {} }, ['catalog.operations']],
        [
          {
            tenant_id: 'x',
            policy: plainPolicy,
            catalog: { operations: [{ ...exampleOperation, parameter_schema: { type: 'object' } }] },
          },
          ['catalog.operations[0].parameter_schema'],
        ],
        [{ tenant_id: 'x', policy: plainPolicy, mock_actuators: ['a b'] }, ['mock_actuators[0]']],
        [{ tenant_id: 'x', policy: plainPolicy, key_name: '' }, ['key_name']],
        [{ tenant_id: 'x', policy: plainPolicy, scope: 'admin' }, ['scope']],
      ],
      60,
    ),
  )('%s is refused', async (_, json, paths) => {
    const { status, body } = await create(json)
    expect({ status, code: body.code }).toEqual({ status: 400, code: 'validation_failed' })
    expect(body.errors?.map(({ path }) => path)).toEqual(expect.arrayContaining(paths))
  })

  it('refused leaves no tenant', async () => {
    await create({ tenant_id: 'refused', policy: { ...plainPolicy, review_route: '' } })
    const { status } = await service.call('GET', '/v1/tenants/refused/policy', { admin: service.admin })
    expect(status).toBe(404)
  })
})

describe('the list of tenants', () => {
  it('is newest first with the policy in force, page by page', async () => {
    const made = []
    for (const tenant_id of ['page-1', 'page-2', 'page-3']) {
      made.unshift((await create({ tenant_id, policy: plainPolicy })).body.tenant_id)
    }
    const first = await list('?limit=2')
    expect(first.body.tenants.map(({ tenant_id }) => tenant_id)).toEqual(made.slice(0, 2))
    expect(first.body.tenants[0]).toMatchObject({ policy: plainPolicy, policy_revision: 1 })
    const second = await list(`?limit=2&cursor=${first.body.next_cursor}`)
    expect(second.body.tenants[0]?.tenant_id).toBe('page-1')
    const whole = await list('?limit=200')
    expect(whole.body.next_cursor).toBeNull()
    expect(whole.body.tenants.slice(0, 3).map(({ tenant_id }) => tenant_id)).toEqual(made)
  })

  it('refuses what is no cursor and no limit', async () => {
    for (const query of ['?cursor=%00', '?cursor=abc', '?limit=0', '?limit=1&limit=1', '?tenant=x']) {
      expect((await list(query)).status).toBe(400)
    }
  })
})
