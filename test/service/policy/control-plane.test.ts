import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Issue, Problem } from '../../../shared/contract/base/errors.ts'
import type { Catalog, CatalogRevision } from '../../../shared/contract/configuration/catalog.ts'
import type { PolicyInput } from '../../../shared/contract/configuration/policy.ts'
import type { CheckedProposal, ReplayReport } from '../../../shared/contract/configuration/policy-check.ts'
import type { PolicyState } from '../../../shared/contract/configuration/tenant.ts'
import { asReader } from '../../support/fixtures/ad-hoc.ts'
import { asSuperuser } from '../../support/servers/superuser.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import { plainPolicy, proposal, type TestTenant } from '../../support/service/tenant.ts'

type Changed = CatalogRevision & { warnings: Issue[] } & Problem
type Revision = PolicyState & { warnings: Issue[] } & Problem

const reading = {
  system: 'crm',
  operation: 'read',
  title: 'Read a contact',
  parameter_schema: {
    type: 'object',
    properties: { contact: { type: 'integer', minimum: 1 } },
    required: ['contact'],
    additionalProperties: false,
  },
  minimum_risk: 'low',
  effects: ['reads personal data'],
  reversibility: 'reversible',
  actuator: { name: 'crm', kind: 'mock' },
  idempotency: 'key_honoured',
  tool_schema_hash: null,
} as const satisfies Catalog['operations'][number]
const catalog: Catalog = { operations: [reading] }
const riskier: Catalog = { operations: [{ ...reading, minimum_risk: 'high' }] }

describe.each([{ platform: false }, { platform: true }])('platform mode: $platform', ({ platform }) => {
  let service: TestService
  let second: TestService
  let tenant: TestTenant

  beforeAll(async () => {
    service = await startService({ platform, unsigned: true })
    second = await startService({ platform, database: service.database, worker: null })
    tenant = await service.tenant()
  })

  afterAll(async () => {
    await second.close()
    await service.close()
  })

  function admin<Body>(method: string, path: string, json?: unknown, headers: Record<string, string> = {}) {
    const of = path.startsWith('/') ? path : `/v1/tenants/${tenant.id}/${path}`
    return service.call<Body & Problem>(method, of, {
      admin: service.admin,
      ...(json === undefined ? {} : { json: json as object }),
      headers,
    })
  }

  /** Rows of everything that a read-only operation could have written. */
  async function rowCounts(): Promise<unknown> {
    const tables = [
      'actions',
      'action_events',
      'execution_jobs',
      'policy_revisions',
      'catalog_revisions',
      'config_events',
    ]
    const counts = tables.map(table => `(select count(*)::int4 from ${table}) as ${table}`)
    return (await asReader(service.context.store, `select ${counts.join(', ')}`))[0]
  }

  describe('the catalog', () => {
    it('POST creates the first revision with a note; GET answers it with its ETag', async () => {
      expect((await admin('GET', 'catalog')).body.code).toBe('catalog_not_found')
      expect((await admin('PUT', 'catalog', catalog)).body.code).toBe('catalog_not_found')
      const made = await admin<Changed>('POST', 'catalog', { catalog, change_note: 'reviewed by two' })
      expect({ status: made.status, etag: made.headers.etag }).toEqual({ status: 201, etag: '"1"' })
      expect(made.body).toMatchObject({ revision: 1, catalog, change_note: 'reviewed by two', warnings: [] })
      expect(made.body.author).toMatchObject({ scope: 'admin', key_id: service.admin.split('.')[0] })
      const read = await admin<CatalogRevision>('GET', 'catalog')
      expect({ etag: read.headers.etag, hash: read.body.catalog_hash }).toEqual({
        etag: '"1"',
        hash: made.body.catalog_hash,
      })
      expect((await admin('POST', 'catalog', catalog)).body.code).toBe('catalog_conflict')
    })

    it('PUT revises it under If-Match, bare; an identical one makes no revision', async () => {
      expect((await admin('PUT', 'catalog', riskier, { 'if-match': '"7"' })).status).toBe(412)
      const revised = await admin<Changed>('PUT', 'catalog', riskier, { 'if-match': '"1"' })
      expect(revised).toMatchObject({ status: 200, body: { revision: 2, change_note: null } })
      expect((await admin<Changed>('PUT', 'catalog', riskier)).body.revision).toBe(2)
      expect((await admin<Changed>('PUT', 'catalog', catalog)).body.revision).toBe(3)
    })

    it('lists revisions newest first, page by page, and reads each', async () => {
      const first = await admin<{ revisions: CatalogRevision[]; next_cursor: string | null }>(
        'GET',
        'catalog/revisions?limit=2',
      )
      expect(first.body.revisions.map(({ revision }) => revision)).toEqual([3, 2])
      const rest = await admin<typeof first.body>(
        'GET',
        `catalog/revisions?limit=2&cursor=${first.body.next_cursor}`,
      )
      expect(rest.body).toMatchObject({ revisions: [{ revision: 1 }], next_cursor: null })
      const { body } = await admin<CatalogRevision>('GET', 'catalog/revisions/2')
      expect(body.catalog).toEqual(riskier)
      expect((await admin('GET', 'catalog/revisions/99')).body.code).toBe('catalog_not_found')
    })

    it('tells everything that is wrong with a document at once, each with path and code', async () => {
      const open = { ...reading, parameter_schema: { type: 'object', properties: { a: { type: 'object' } } } }
      const operations = [open, { ...reading, operation: 'read', minimum_risk: 'huge' }, reading]
      const { status, body } = await admin('PUT', 'catalog', { catalog: { operations } })
      expect(status).toBe(400)
      const places = (body.errors ?? []).map(({ path }) => path)
      expect(places).toEqual([
        'catalog.operations[1].minimum_risk',
        'catalog.operations[1]',
        'catalog.operations[2]',
        'catalog.operations[0].parameter_schema',
        'catalog.operations[0].parameter_schema.properties.a',
      ])
    })

    it('governs the very next proposal, on every process', async () => {
      const { body: before } = await tenant.submit({ parameters: { contact: 1 } })
      expect(before).toMatchObject({ decision: 'allow', catalog: { revision: 3 } })
      const outside = await tenant.submit({ parameters: { contact: 0, more: true } })
      expect(outside.body.decision).toBe('deny')
      expect(
        outside.body.checks.filter(({ outcome }) => outcome === 'fail').map(({ check }) => check),
      ).toEqual(['parameters_schema', 'parameters_schema'])
      expect((await tenant.submit({ operation: 'drop', parameters: {} })).body.decision).toBe('deny')
      await admin('PUT', 'catalog', riskier)
      for (const { call } of [service, second]) {
        const { body } = await call<CheckedProposal>('POST', '/v1/actions', {
          key: tenant.agent,
          json: proposal({ parameters: { contact: 1 } }),
          headers: { prefer: 'wait=0' },
        })
        expect(body).toMatchObject({
          decision: 'needs_approval',
          effective_risk: { level: 'high' },
          catalog: { revision: 4 },
        })
      }
      await admin('PUT', 'catalog', catalog)
    })
  })

  describe('policy revisions', () => {
    it('have hashes, author, time and note, and name the catalog in force', async () => {
      const draft: PolicyInput = { ...plainPolicy, review_route: 'night shift' }
      const made = await admin<Revision>(
        'PUT',
        'policy',
        { policy: draft, change_note: 'nights' },
        { 'if-match': '"1"' },
      )
      expect(made).toMatchObject({ status: 200, body: { revision: 2, change_note: 'nights' } })
      const current = await admin<CatalogRevision>('GET', 'catalog')
      expect(made.body.catalog_hash).toBe(current.body.catalog_hash)
      const { body } = await admin<{ revisions: PolicyState[] }>('GET', 'policy/revisions')
      expect(body.revisions.map(({ revision }) => revision)).toEqual([2, 1])
      expect(body.revisions[0]).toMatchObject({
        author: { scope: 'admin' },
        policy_hash: made.body.policy_hash,
      })
      expect(body.revisions[1]?.author).toEqual({ source: 'configuration file' })
    })

    it('can be taken back: a new revision with the old content', async () => {
      const back = await admin<Revision>('POST', 'policy/rollback', { revision: 1, change_note: 'too dark' })
      expect(back).toMatchObject({ status: 200, body: { revision: 3, change_note: 'too dark' } })
      const { body } = await admin<{ revisions: PolicyState[] }>('GET', 'policy/revisions')
      expect(body.revisions[0]?.policy_hash).toBe(body.revisions[2]?.policy_hash)
      expect((await admin<Revision>('POST', 'policy/rollback', { revision: 1 })).body.revision).toBe(3)
      expect((await admin('POST', 'policy/rollback', { revision: 77 })).body.code).toBe('revision_not_found')
    })
  })

  describe('POST policy/check', () => {
    const check = (json: object) => admin<CheckedProposal>('POST', 'policy/check', json)

    it('decides under what is in force, or under drafts, and records nothing', async () => {
      const before = await rowCounts()
      const asked = proposal({ parameters: { contact: 1 } })
      expect((await check({ proposal: asked })).body).toMatchObject({
        decision: 'allow',
        policy: { revision: 3 },
      })
      const policy = { ...plainPolicy, approval_required_at: 'low' }
      const drafted = await check({ proposal: asked, policy })
      expect(drafted.body).toMatchObject({ decision: 'needs_approval', policy: { revision: 4 } })
      expect((await check({ proposal: asked, catalog: riskier })).body).toMatchObject({
        decision: 'needs_approval',
        effective_risk: { level: 'high' },
      })
      const both = await check({
        proposal: asked,
        policy: { ...policy, allowed_systems: [] },
        catalog: riskier,
      })
      expect(both.body.decision).toBe('deny')
      expect(drafted.body).not.toHaveProperty('action_id')
      expect(await rowCounts()).toEqual(before)
    })

    it('tells what is wrong with a draft below its name', async () => {
      const { status, body } = await check({ proposal: proposal(), policy: { allowed_systems: 7 }, catalog })
      expect(status).toBe(400)
      expect(body.errors?.every(({ path }) => path.startsWith('policy'))).toBe(true)
    })
  })

  describe('replay of drafts (extension)', () => {
    const replay = (json: object) => admin<ReplayReport>('POST', 'policy/replay', json)

    it('counts decisions that would differ, names the check, and writes nothing', async () => {
      const own = await service.tenant()
      const path = `/v1/tenants/${own.id}/policy/replay`
      const allowed = await own.submit()
      await own.submit({ risk: 'high' })
      await own.submit({ system: 'elsewhere' })
      await own.settled(allowed.body.action_id)
      const before = await rowCounts()
      const policy = { ...plainPolicy, allowed_operations: { crm: ['write'] } }
      const { status, body } = await admin<ReplayReport>('POST', path, { policy, limit: 100 })
      expect({ status, replayed: body.replayed }).toEqual({ status: 200, replayed: 3 })
      expect(body.transitions).toEqual({
        allow: { allow: 0, needs_approval: 0, deny: 1 },
        needs_approval: { allow: 0, needs_approval: 0, deny: 1 },
        deny: { allow: 0, needs_approval: 0, deny: 1 },
      })
      expect(body.flips.map(({ recorded, draft, check }) => [recorded, draft, check])).toEqual([
        ['needs_approval', 'deny', 'operation_allowed'],
        ['allow', 'deny', 'operation_allowed'],
      ])
      expect(body.flips[1]?.action_id).toBe(allowed.body.action_id)
      expect((await admin<ReplayReport>('POST', path, { limit: 100 })).body.flips).toEqual([])
      expect((await admin<ReplayReport>('POST', path, { policy, limit: 1 })).body.replayed).toBe(1)
      expect(await rowCounts()).toEqual(before)
      await asSuperuser(
        service.database,
        'alter table action_gate.event_payloads disable trigger user',
        `delete from action_gate.event_payloads where action_id = '${allowed.body.action_id}'`,
        'alter table action_gate.event_payloads enable always trigger event_payloads_erased_openly',
      )
      const erased = await admin<ReplayReport>('POST', path, { policy, limit: 100 })
      expect(erased.body).toMatchObject({ replayed: 2, not_replayed: [{ reason: 'erased', count: 1 }] })
    })

    it('has a bound', async () => {
      expect((await replay({ limit: 10_001 })).status).toBe(400)
    })
  })

  describe('actuators', () => {
    it('are replaced as a whole, sorted, and count for the next proposal and claim', async () => {
      const own = await service.tenant()
      const path = `/v1/tenants/${own.id}/actuators`
      const { body: held } = await own.submit({ risk: 'high' })
      const actuators = [
        { name: 'mail', kind: 'mock', settings: {} },
        { name: 'crm', kind: 'mock', settings: { outcome: 'failed' } },
      ]
      const { status, body } = await admin<{ actuators: { name: string }[]; warnings: object[] }>(
        'PUT',
        path,
        { actuators },
      )
      const { warnings, ...registered } = body
      expect({ status, warnings, names: registered.actuators.map(({ name }) => name) }).toEqual({
        status: 200,
        warnings: [],
        names: ['crm', 'mail'],
      })
      expect((await admin('GET', path)).body).toEqual(registered)
      await own.approve(held.action_id)
      expect((await own.settled(held.action_id)).status).toBe('execution_failed')
      const twice = [actuators[0], actuators[0]]
      expect((await admin('PUT', path, { actuators: twice })).body.code).toBe('validation_failed')
      await admin('PUT', path, { actuators: [] })
      expect((await own.submit()).body.decision).toBe('deny')
    })
  })

  describe('requests at the same time', () => {
    it('twenty revisions with the same If-Match: one wins, the others get 412', async () => {
      const own = await service.tenant()
      const path = `/v1/tenants/${own.id}/policy`
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, at) =>
          (at % 2 === 0 ? service : second).call('PUT', path, {
            admin: service.admin,
            json: { ...plainPolicy, review_route: `route ${at}` },
            headers: { 'if-match': '"1"' },
          }),
        ),
      )
      const statuses = answers.map(({ status }) => status)
      expect(statuses.filter(status => status === 200)).toHaveLength(1)
      expect(statuses.filter(status => status === 412)).toHaveLength(19)
    })

    it('twenty without it all land, one after another, each with its event', async () => {
      const own = await service.tenant()
      const path = `/v1/tenants/${own.id}/policy`
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, at) =>
          (at % 2 === 0 ? service : second).call<Revision>('PUT', path, {
            admin: service.admin,
            json: { ...plainPolicy, review_route: `route ${at}` },
          }),
        ),
      )
      const revisions = answers.map(({ body }) => body.revision).sort((left, right) => left - right)
      expect(revisions).toEqual(Array.from({ length: 20 }, (_, at) => at + 2))
      const events = await asReader<{ sequence: number; kind: string }>(
        service.context.store,
        `select sequence, kind from config_events where tenant_id = '${own.id}' order by sequence`,
      )
      expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, at) => at))
      expect(events.filter(({ kind }) => kind === 'policy_revision')).toHaveLength(21)
    })

    it('of catalogs created, one is, and the others get 409', async () => {
      const own = await service.tenant()
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, at) =>
          admin('POST', `/v1/tenants/${own.id}/catalog`, { catalog: at % 2 === 0 ? catalog : riskier }),
        ),
      )
      expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(409)])
    })

    it('of tenants created, one is', async () => {
      const json = { tenant_id: `once-${platform}`, template: 'support', catalog: undefined }
      const answers = await Promise.all(Array.from({ length: 10 }, () => admin('POST', '/v1/tenants', json)))
      expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(409)])
    })
  })

  it('a tenant can begin with a catalog', async () => {
    const tenant_id = `begun-${platform}`
    const made = await admin('POST', '/v1/tenants', {
      tenant_id,
      policy: plainPolicy,
      catalog,
      mock_actuators: ['crm'],
    })
    expect(made.status).toBe(201)
    const { body } = await admin<CatalogRevision>('GET', `/v1/tenants/${tenant_id}/catalog`)
    expect(body).toMatchObject({ revision: 1, catalog })
    const wrong = { tenant_id: 'x', policy: plainPolicy, catalog: { operations: [{}] } }
    const { body: problem } = await admin('POST', '/v1/tenants', wrong)
    expect(problem.errors?.every(({ path }) => path.startsWith('catalog'))).toBe(true)
    expect((await admin('GET', '/v1/tenants/x/policy')).status).toBe(404)
  })
})
