import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Regression } from '../../../shared/contract/action/verdict.ts'
import type { Issue, Problem } from '../../../shared/contract/base/errors.ts'
import type { PolicyState } from '../../../shared/contract/configuration/tenant.ts'
import { exampleOperation, examplePolicy } from '../../../shared/contract/examples/example-policy.ts'
import type { ChangedCatalog } from '../../../shared/flow/policy/catalogs.ts'
import { asReader } from '../../support/fixtures/ad-hoc.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import type { TestTenant } from '../../support/service/tenant.ts'

type Revised = PolicyState & { regressions: Regression[]; warnings: Issue[] } & Problem

const large = { name: 'large refund', operation: 'refund', where: { amount: { min: 501 } } }
const bound = (max: number) => ({
  ...examplePolicy,
  parameter_constraints: { payments: { refund: { amount: { max } } } },
})
const taking = (maximum: number, more: object = {}) => ({
  operations: [
    {
      ...exampleOperation,
      parameter_schema: {
        type: 'object',
        properties: { amount: { type: 'number', maximum, ...more } },
        required: ['amount'],
        additionalProperties: false,
      },
    },
  ],
})

describe.each([{ platform: false }, { platform: true }])('platform mode: $platform', ({ platform }) => {
  let service: TestService
  let second: TestService
  let tenant: TestTenant

  beforeAll(async () => {
    service = await startService({ platform })
    second = await startService({ platform, database: service.database, worker: null })
  })
  beforeEach(async () => {
    tenant = await service.tenant({ policy: examplePolicy })
  })
  afterAll(async () => {
    await second.close()
    await service.close()
  })

  const call = <Body = Revised>(method: string, what: string, json: object, on = service) =>
    on.call<Body>(method, `/v1/tenants/${tenant.id}/${what}`, { admin: service.admin, json })
  const verify = (more: object = {}) =>
    call<{ report_id: string }>('POST', 'policy/verify', { forbidden: [large], ...more })
  const requireProofs = (required = true) => call('PUT', 'verification-gate', { required })
  const revision = async () =>
    (await service.call<PolicyState>('GET', `/v1/tenants/${tenant.id}/policy`, { admin: service.admin })).body
      .revision

  it('a revision that breaks a passing report is made, and says so with a witness', async () => {
    const { report_id } = (await verify()).body
    const { status, body } = await call('PUT', 'policy', bound(900))
    expect({ status, revision: body.revision }).toEqual({ status: 200, revision: 2 })
    expect(body.regressions).toEqual([
      {
        report_id,
        name: 'large refund',
        expected: 'unreachable',
        result: 'reachable',
        why: expect.any(String),
        witness: expect.objectContaining({ action: expect.objectContaining({ operation: 'refund' }) }),
      },
    ])
    expect((await call('PUT', 'policy', bound(400))).body.regressions).toEqual([])
    expect((await call('POST', 'policy/rollback', { revision: 2 })).body.regressions).toHaveLength(1)
  })

  it('nothing is broken where nothing was proved, or nothing is changed', async () => {
    expect((await call('PUT', 'policy', bound(900))).body.regressions).toEqual([])
    await verify({ policy: examplePolicy })
    expect((await call('PUT', 'policy', bound(901))).body.regressions).toEqual([])
    await call('PUT', 'policy', examplePolicy)
    await verify()
    await call('PUT', 'policy', bound(900))
    await requireProofs()
    const { status, body } = await call('PUT', 'policy', bound(900))
    expect({ status, regressions: body.regressions }).toEqual({ status: 200, regressions: [] })
  })

  it('a tenant that requires it refuses the revision, and names the outcomes', async () => {
    await verify()
    expect((await requireProofs()).body).toEqual({ required: true })
    for (const [method, what, json] of [
      ['PUT', 'policy', bound(900)],
      ['PUT', 'policy', { policy: bound(900), change_note: 'wider' }],
    ] as const) {
      const { status, body } = await call(method, what, json)
      expect({ status, code: body.code }).toEqual({ status: 409, code: 'verification_failed' })
      expect(body.detail).toContain('large refund')
      expect(body.errors).toMatchObject([{ path: 'large refund', code: 'reachable' }])
    }
    expect(await revision()).toBe(1)
    expect((await call('PUT', 'policy', bound(400))).status).toBe(200)
    await requireProofs(false)
    expect((await call('PUT', 'policy', bound(900))).body.regressions).toHaveLength(1)
  })

  it('refuses a rollback and a catalog too, and what can no longer be proved', async () => {
    await call('PUT', 'policy', bound(900))
    await call('POST', 'catalog', taking(500))
    const { body } = await verify({ required: [{ name: 'a refund', operation: 'refund' }] })
    expect(body).toMatchObject({ result: 'verified' })
    await requireProofs()
    const refused = await call('PUT', 'catalog', taking(600))
    expect(refused.body).toMatchObject({ status: 409, code: 'verification_failed' })
    const opened = await call<ChangedCatalog & Problem>('PUT', 'catalog', taking(600, { not: { const: 1 } }))
    expect(opened.body.code).toBe('verification_failed')
    await requireProofs(false)
    const made = await call<ChangedCatalog>('PUT', 'catalog', taking(500, { not: { const: 1 } }))
    expect(made.body.warnings).toMatchObject([{ code: 'unmodelled', path: 'payments.refund.amount' }])
    expect(made.body.warnings[0]?.message).toContain('the keyword not')
  })

  it('can be asked for when the tenant is made, and is an event of its configuration', async () => {
    const json = { tenant_id: `gated-${platform}`, policy: examplePolicy, verification_gate: true }
    await service.call('POST', '/v1/tenants', { admin: service.admin, json })
    tenant = { ...tenant, id: json.tenant_id }
    await verify()
    expect((await call('PUT', 'policy', bound(900))).body.code).toBe('verification_failed')
    await requireProofs(true)
    await requireProofs(false)
    const events = await asReader(
      service.context.store,
      `select kind from config_events where tenant_id = '${tenant.id}' and kind = 'verification_gate'`,
    )
    expect(events).toHaveLength(1)
  })

  it('many revisions at once all land, each compared with what was proved', async () => {
    await verify()
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, at) => call('PUT', 'policy', bound(900 + at), at % 2 ? second : service)),
    )
    expect(answers.map(({ body }) => body.revision).sort()).toEqual([2, 3, 4, 5, 6, 7, 8, 9])
    for (const { body } of answers) expect(body.regressions).toHaveLength(1)
  })

  it('two revisions at once, each of which keeps the proof, do not break it together', async () => {
    for (let round = 0; round < 4; round += 1) {
      tenant = await service.tenant({ policy: examplePolicy })
      await call('POST', 'catalog', taking(50))
      await verify()
      await requireProofs()
      const answers = await Promise.all([
        call('PUT', 'policy', bound(900)),
        call('PUT', 'catalog', taking(900), second),
      ])
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
      expect(answers.find(({ status }) => status === 409)?.body.code).toBe('verification_failed')
      expect((await verify()).body).toMatchObject({ result: 'verified' })
    }
  })
})
