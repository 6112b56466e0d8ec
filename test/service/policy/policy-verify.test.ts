import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Problem } from '../../../shared/contract/base/errors.ts'
import type { CheckedProposal } from '../../../shared/contract/configuration/policy-check.ts'
import type {
  Verification,
  VerificationReport,
} from '../../../shared/contract/configuration/verification-schema.ts'
import { examplePolicy } from '../../../shared/contract/examples/example-policy.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import type { TestTenant } from '../../support/service/tenant.ts'

type Answer = VerificationReport & Problem

const wide = { ...examplePolicy, parameter_constraints: { payments: { refund: { amount: { max: 900 } } } } }
const largeRefund = { name: 'large refund', operation: 'refund', where: { amount: { min: 501 } } }
const payments = [{ name: 'payments', kind: 'mock', settings: {} }] as const

describe.each([{ platform: false }, { platform: true }])('platform mode: $platform', ({ platform }) => {
  let service: TestService
  let tenant: TestTenant

  beforeAll(async () => {
    service = await startService({ platform })
    tenant = await service.tenant({ policy: wide, actuators: [...payments] })
  })
  afterAll(() => service.close())

  const post = <Body = Answer>(path: string, json: unknown) =>
    service.call<Body>('POST', path, { admin: service.admin, json })
  const verify = (json: unknown) => post(`/v1/tenants/${tenant.id}/policy/verify`, json)
  const verifyDraft = (json: unknown) => post<Verification & Problem>('/v1/policies/verify', json)

  it('finds a proposal that reaches the outcome, and the gate decides it so', async () => {
    const { status, body } = await verify({ forbidden: [largeRefund] })
    expect({ status, result: body.result }).toEqual({ status: 200, result: 'violated' })
    const [outcome] = body.outcomes
    expect(outcome).toMatchObject({ name: 'large refund', result: 'reachable', decision: 'allow' })
    expect(outcome?.witness?.action.parameters.amount).toBeGreaterThanOrEqual(501)
    const checked = await post<CheckedProposal>(`/v1/tenants/${tenant.id}/policy/check`, {
      proposal: outcome?.witness,
    })
    expect(checked.body.decision).toBe('allow')
    expect((await post('/v1/actions', {})).status).toBe(401)
    const submitted = await service.call<{ decision: string }>('POST', '/v1/actions', {
      key: tenant.agent,
      json: outcome?.witness,
    })
    expect(submitted.body.decision).toBe('allow')
  })

  it('proves that it is unreachable under a draft, and binds the report to it', async () => {
    const { body } = await verify({ policy: examplePolicy, forbidden: [largeRefund] })
    expect(body).toMatchObject({
      result: 'verified',
      outcomes: [{ result: 'unreachable', expected: 'unreachable' }],
      subject: { kind: 'draft', policy_revision: null, mode: 'basic' },
      author: { key_id: service.admin.split('.')[0] },
    })
    expect(body.policy_hash).toBe(body.subject.policy_hash)
  })

  it('of a policy of no tenant stores nothing', async () => {
    const { status, body } = await verifyDraft({ policy: examplePolicy, forbidden: [largeRefund] })
    expect(status).toBe(200)
    expect(body).toMatchObject({ result: 'verified', subject: { kind: 'draft' } })
    expect(Object.keys(body)).not.toContain('report_id')
    const { status: without, body: problem } = await verifyDraft({ forbidden: [largeRefund] })
    expect({ without, at: problem.errors?.map(({ path }) => path) }).toEqual({ without: 400, at: ['policy'] })
  })

  it('without outcomes looks for the built-in findings', async () => {
    const { body } = await verifyDraft({ policy: { ...wide, allowed_operations: {} } })
    expect(body.result).toBe('violated')
    expect(body.outcomes.find(({ name }) => name === 'unnamed_operation_admitted')?.result).toBe('reachable')
  })

  it('is about drafts in normalized form', async () => {
    const { allowed_operations: _operations, parameter_constraints: _constraints, ...sparse } = wide
    const draft = { ...sparse, parameter_constraints: { payments: { refund: { amount: { max: 50 } } } } }
    const missing = { name: 'no amount', operation: 'refund', where: { amount: { missing: true } } }
    const asked = { policy: draft, forbidden: [missing] }
    expect((await verifyDraft(asked)).body.result).toBe('verified')
    expect((await verify(asked)).body.result).toBe('verified')
  })

  it('answers the mode that is asked about, else that of the service', async () => {
    const uncatalogued = { name: 'uncatalogued', operation: 'refund', catalogued: false }
    const asked = (mode?: string) => verifyDraft({ policy: wide, forbidden: [uncatalogued], mode })
    expect((await asked('strict')).body).toMatchObject({ result: 'verified', subject: { mode: 'strict' } })
    expect((await asked()).body).toMatchObject({ result: 'violated', subject: { mode: 'basic' } })
  })

  it('of a system that nobody knows answers unreachable, with a warning', async () => {
    const { body } = await verify({ forbidden: [{ name: 'elsewhere', system: 'elsewhere' }] })
    expect(body).toMatchObject({
      result: 'verified',
      outcomes: [{ result: 'unreachable' }],
      warnings: [{ code: 'unknown_system', path: 'elsewhere' }],
    })
  })

  it('refuses what contradicts itself, all of it at once', async () => {
    const { status, body } = await verify({
      forbidden: [
        { name: 'a', where: { amount: { min: 2, max: 1 } } },
        { name: 'a', claimed_risk: [] },
      ],
      required: [{ name: 'b', effective_risk: { min: 'high', max: 'low' } }],
    })
    expect(status).toBe(400)
    expect(body.errors?.map(({ path, code }) => `${path} ${code}`)).toEqual([
      'forbidden[0].where.amount contradiction',
      'forbidden[1].name duplicate_name',
      'forbidden[1].claimed_risk contradiction',
      'required[0].effective_risk contradiction',
    ])
  })

  it('refuses drafts that are not valid, each problem below its document', async () => {
    const { status, body } = await verify({ policy: { allowed_systems: 1 }, forbidden: [largeRefund] })
    expect(status).toBe(400)
    expect(body.errors?.every(({ path }) => path.startsWith('policy.'))).toBe(true)
  })

  it('caps the bounds, and names the one that was hit', async () => {
    const second = { ...largeRefund, name: 'larger refund', where: { amount: { min: 901 } } }
    const asked = (max_steps: number) => verify({ forbidden: [second, largeRefund], bounds: { max_steps } })
    expect((await asked(1e12)).body.bounds).toMatchObject({ steps: 2_000_000, hit: null })
    const { body } = await asked(1)
    expect(body).toMatchObject({
      outcomes: [{ result: 'unreachable' }, { result: 'inconclusive' }],
      result: 'inconclusive',
      bounds: { steps: 1, hit: { bound: 'steps', limit: 1 } },
    })
    const many = Array.from({ length: 101 }, (_, at) => ({ ...largeRefund, name: `n${at}` }))
    expect((await verify({ forbidden: many })).status).toBe(400)
  })

  it('is for admins, and of tenants that are there', async () => {
    const json = { policy: wide, forbidden: [largeRefund] }
    for (const path of ['/v1/policies/verify', `/v1/tenants/${tenant.id}/policy/verify`]) {
      expect((await service.call('POST', path, { json })).status).toBe(401)
      expect((await service.call('POST', path, { admin: tenant.agent, json })).status).toBe(403)
    }
    expect((await post('/v1/tenants/nobody/policy/verify', json)).body.code).toBe('tenant_not_found')
  })
})

/** So many operations and outcomes that the proof takes many slices. */
const large = {
  policy: {
    ...examplePolicy,
    allowed_operations: { payments: Array.from({ length: 600 }, (_, at) => `op-${at}`) },
    parameter_constraints: {
      payments: Object.fromEntries(
        Array.from({ length: 600 }, (_, at) => [`op-${at}`, { amount: { min: at, max: at + 1000 } }]),
      ),
    },
  },
  forbidden: Array.from({ length: 100 }, (_, at) => ({
    name: `outcome ${at}`,
    where: { amount: { min: 2_000 + at } },
  })),
}

describe('a proof that takes long', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startService({ worker: null })
  })
  afterAll(() => service.close())

  async function metric(name: string): Promise<number> {
    const { text } = await service.call('GET', '/metrics')
    const line = text.split('\n').find(one => one.startsWith(`action_gate_${name} `))
    return Number(line?.split(' ').at(-1) ?? Number.NaN)
  }

  it('lets others have their turn', async () => {
    let proving = true
    const proofs = Promise.all(
      Array.from({ length: 3 }, () =>
        service.call<Verification>('POST', '/v1/policies/verify', { admin: service.admin, json: large }),
      ),
    ).finally(() => {
      proving = false
    })
    let answered = 0
    while (proving) {
      await service.call('GET', '/health')
      answered += 1
    }
    for (const { body } of await proofs) expect(body).toMatchObject({ result: 'verified' })
    expect(answered).toBeGreaterThan(10)
    // A large draft is read in slices, and proved in slices.
    expect(await metric('proof_slice_seconds_count')).toBe(6)
    // Ten times what is wanted of a machine that does nothing else.
    expect(await metric('proof_slice_seconds_bucket{le="0.5"}')).toBe(6)
  })

  /** Asks, and leaves as soon as work on the answer is under way; how many works came to their end in between. */
  async function leave(path: string, asked: object): Promise<number> {
    const before = await metric('proof_slice_seconds_count')
    const caller = new AbortController()
    const headers = { 'content-type': 'application/json', 'x-service-admin-key': service.admin }
    const { signal } = caller
    const left = fetch(`${service.url}${path}`, {
      method: 'POST',
      body: JSON.stringify(asked),
      headers,
      signal,
    })
    const waited = expect.poll(() => metric('proofs_under_way'), { interval: 5 }).toBe(1)
    await waited
    caller.abort()
    await expect(left).rejects.toThrow()
    await expect.poll(() => metric('proofs_under_way')).toBe(0)
    return (await metric('proof_slice_seconds_count')) - before
  }

  it('is given up when nobody waits for it any more, and leaves no report', async () => {
    const tenant = await service.tenant({ policy: large.policy })
    expect(await leave(`/v1/tenants/${tenant.id}/policy/verify`, { forbidden: large.forbidden })).toBe(0)
    const reports = await service.call('GET', `/v1/tenants/${tenant.id}/verification`, {
      admin: service.admin,
    })
    expect(reports.body).toMatchObject({ reports: [] })
  })

  it('of a draft is given up with the draft, or after it was read', async () => {
    // Reading comes to its end before the proof begins, and the caller leaves in one or the other: never do both end.
    expect([0, 1]).toContain(await leave('/v1/policies/verify', large))
  })
})
