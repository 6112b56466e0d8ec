import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Problem } from '../../../shared/contract/base/errors.ts'
import type { AdmissionReport } from '../../../shared/contract/configuration/admission.ts'
import { exampleOperation, examplePolicy } from '../../../shared/contract/examples/example-policy.ts'
import { markWorker } from '../../../shared/flow/execution/mark-worker.ts'
import { asWriter } from '../../support/fixtures/ad-hoc.ts'
import { asSuperuser } from '../../support/servers/superuser.ts'
import { plantKey } from '../../support/service/plant-key.ts'
import { startService, type TestService } from '../../support/service/service.ts'

const reviewed = {
  ...exampleOperation,
  parameter_schema: {
    type: 'object',
    properties: { amount: { type: 'number', minimum: 0, maximum: 100 } },
    required: ['amount'],
    additionalProperties: false,
  },
  minimum_risk: 'medium',
  actuator: { name: 'payments', kind: 'http' },
}
const http = {
  name: 'payments',
  kind: 'http',
  settings: {
    base_url: 'https://payments.example/',
    idempotency: 'key_honoured',
    operations: { refund: { method: 'POST', path: '/refunds' } },
    lookup: { method: 'GET', path: '/refunds/{idempotency_key}', executed: [200] },
  },
}

function callsOf(service: TestService) {
  const admin = service.admin
  return {
    admit: (id: string, json: object = {}) =>
      service.call<AdmissionReport & Problem>('POST', `/v1/tenants/${id}/policy/admit`, { admin, json }),
    put: (id: string, what: string, json: object) =>
      service.call('PUT', `/v1/tenants/${id}/${what}`, { admin, json }),
    post: (id: string, what: string, json: object) =>
      service.call('POST', `/v1/tenants/${id}/${what}`, { admin, json }),
  }
}

/** A worker has its turn on a busy machine. */
const patience = { timeout: 10_000 }

async function workersOf({ context }: TestService): Promise<string[]> {
  const rows = await asWriter<{ id: string }>(context.store, 'select worker_id as id from workers')
  return rows.map(({ id }) => id)
}

function codes({ holes }: AdmissionReport): string[] {
  return [...new Set(holes.map(({ code }) => code))]
}

describe.each([{ platform: false }, { platform: true }])('platform mode: $platform', ({ platform }) => {
  let service: TestService
  beforeAll(async () => {
    service = await startService({ platform, env: { SERVICE_SWEEP_MS: '2000' } })
  })
  afterAll(() => service.close())

  it('admits a tenant that was reviewed to its end, and changes nothing', async () => {
    const { admit, post, put } = callsOf(service)
    await expect.poll(() => workersOf(service), patience).toHaveLength(1)
    const { id, approver } = await service.tenant({ policy: examplePolicy })
    await put(id, 'actuators', { actuators: [http] })
    await post(id, 'catalog', { operations: [reviewed] })
    await put(id, 'groups/leads', { members: [{ key_id: approver.split('.')[0] }] })
    await put(id, 'routes/support-leads', { required: [{ group: 'leads', approvals: 1 }] })
    const before = await asWriter(
      service.context.store,
      'select tenant_id, rules_version, policy_revision, catalog_revision from tenants order by 1',
    )
    const { status, body } = await admit(id, { mode: 'strict' })
    expect({ status, admitted: body.admitted, holes: codes(body) }).toEqual({
      status: 200,
      admitted: true,
      holes: [],
    })
    expect(
      await asWriter(
        service.context.store,
        'select tenant_id, rules_version, policy_revision, catalog_revision from tenants order by 1',
      ),
    ).toEqual(before)
  })

  it('tells every hole with a place and what to do', async () => {
    const { admit } = callsOf(service)
    const { id } = await service.tenant({ policy: { ...examplePolicy, allowed_operations: {} } })
    const { body } = await admit(id)
    expect(body.admitted).toBe(false)
    expect(codes(body)).toEqual(expect.arrayContaining(['COV-1', 'ACT-1']))
    for (const hole of body.holes) expect(hole.fix).not.toBe('')
    expect(body.counts.blocking).toBe(body.holes.filter(({ severity }) => severity === 'blocking').length)
  })

  it('looks at drafts, even such as could never be put in force', async () => {
    const { admit, put } = callsOf(service)
    const { id } = await service.tenant({ policy: examplePolicy })
    await put(id, 'actuators', { actuators: [http] })
    const { minimum_risk: _risk, ...unfinished } = reviewed
    const catalog = {
      operations: [{ ...unfinished, parameter_schema: { type: 'object', properties: {} } }],
    }
    const { body } = await admit(id, { catalog })
    expect(codes(body)).toEqual(expect.arrayContaining(['CAT-1', 'SCH-1']))
    expect((await put(id, 'catalog', catalog)).status).toBe(400)
    const twice = await admit(id, { catalog: { operations: [reviewed, reviewed] } })
    expect(twice.body.errors?.map(({ path, code }) => `${path} ${code}`)).toEqual([
      'catalog.operations[1] duplicate_operation',
    ])
    const both = await admit(id, { policy: examplePolicy, catalog: { operations: [reviewed] } })
    expect(codes(both.body)).toContain('CAT-2')
  })

  it('names a route that is none, and groups that are too small', async () => {
    const { admit, put } = callsOf(service)
    const { id, approver } = await service.tenant({ policy: examplePolicy })
    const ofRoutes = async () => codes((await admit(id)).body).filter(code => /^COV-(9|10)$/.test(code))
    expect(await ofRoutes()).toEqual(['COV-9'])
    await put(id, 'groups/leads', { members: [{ key_id: approver.split('.')[0] }] })
    await put(id, 'routes/support-leads', { required: [{ group: 'leads', approvals: 2 }] })
    expect(await ofRoutes()).toEqual(['COV-10'])
    await put(id, 'routes/support-leads', { required: [{ group: 'leads', approvals: 1 }] })
    expect(await ofRoutes()).toEqual([])
  })

  it('is of one tenant', async () => {
    expect((await callsOf(service).admit('nobody')).body.code).toBe('tenant_not_found')
  })
})

describe('what is deployed', () => {
  it('is signing, durable, and has a worker that was seen within three sweeps', async () => {
    const service = await startService({ worker: null, unsigned: true, env: { SERVICE_SWEEP_MS: '60000' } })
    try {
      const { admit } = callsOf(service)
      const { id } = await service.tenant({ policy: examplePolicy })
      const holes = async () => codes((await admit(id)).body).filter(code => code.startsWith('DEP'))
      expect(await holes()).toEqual(['DEP-1', 'DEP-3'])
      await markWorker(service.context, 'wrk_one', { secrets: [], mcp_servers: [], egress_allow: [] })
      expect(await holes()).toEqual(['DEP-1'])
      const age = (seconds: number) =>
        asSuperuser(
          service.database,
          `update action_gate.workers set seen_at = clock_timestamp() - interval '${seconds} seconds'`,
        )
      await age(170)
      expect(await holes()).toEqual(['DEP-1'])
      await age(190)
      expect(await holes()).toEqual(['DEP-1', 'DEP-3'])
    } finally {
      await service.close()
    }
  })

  it('counts the approver keys that are good now', async () => {
    const service = await startService()
    try {
      const { admit } = callsOf(service)
      const json = { tenant_id: 'lonely', policy: examplePolicy, mock_actuators: ['payments'] }
      await service.call('POST', '/v1/tenants', { admin: service.admin, json })
      const isHole = async () => codes((await admit('lonely')).body).includes('COV-8')
      expect(await isHole()).toBe(true)
      const key = { name: 'lead', scope: 'approver', tenant_id: 'lonely' } as const
      await plantKey(service.context, { ...key, expires_at: '2001-01-01T00:00:00.000Z' })
      expect(await isHole()).toBe(true)
      await plantKey(service.context, { ...key, expires_at: null })
      expect(await isHole()).toBe(false)
    } finally {
      await service.close()
    }
  })

  it('has a worker that says so however long a sweep takes', async () => {
    const service = await startService()
    const { host, database, superuser } = service.database
    const locker = postgres({ host, database, user: superuser, max: 1 })
    try {
      await locker.begin(async sql => {
        await sql`lock table action_gate.queue_samples in access exclusive mode`
        const seenWhileSweeping = () => sql`
          select from pg_locks, action_gate.workers
          where relation = 'action_gate.queue_samples'::regclass and not granted and seen_at > waitstart`
        await expect.poll(seenWhileSweeping, patience).toHaveLength(1)
      })
    } finally {
      await locker.end()
      await service.close()
    }
  })

  it('forgets workers that are long gone, and keeps those that are there', async () => {
    const service = await startService()
    try {
      await markWorker(service.context, 'wrk_old', { secrets: [], mcp_servers: [], egress_allow: [] })
      await asSuperuser(
        service.database,
        `update action_gate.workers set seen_at = now() - interval '2 days' where worker_id = 'wrk_old'`,
      )
      await expect.poll(() => workersOf(service), patience).not.toContain('wrk_old')
      expect(await workersOf(service)).toHaveLength(1)
    } finally {
      await service.close()
    }
  })
})
