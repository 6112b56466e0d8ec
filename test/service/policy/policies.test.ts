import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { canonicalJson } from '../../../shared/canon/canonical-json.ts'
import { documentHash } from '../../../shared/canon/digest.ts'
import type { Issue, Problem } from '../../../shared/contract/base/errors.ts'
import type { JsonValue } from '../../../shared/contract/base/json.ts'
import type { PolicyState } from '../../../shared/contract/configuration/tenant.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import { plainPolicy, type TestTenant } from '../../support/service/tenant.ts'

type State = PolicyState & { warnings: Issue[]; regressions: unknown[] } & Problem

let service: TestService
let other: TestService
let tenant: TestTenant

/** Two API processes over one database. */
beforeAll(async () => {
  service = await startService()
  other = await startService({ database: service.database, worker: null })
})

beforeEach(async () => {
  tenant = await service.tenant()
})

afterAll(async () => {
  await other.close()
  await service.close()
})

const closed = { ...plainPolicy, allowed_operations: { crm: ['write'] } }

function read(id = tenant.id) {
  return service.call<State>('GET', `/v1/tenants/${id}/policy`, { admin: service.admin })
}

function put(json: unknown, headers: Record<string, string> = {}, on = service) {
  return on.call<State>('PUT', `/v1/tenants/${tenant.id}/policy`, { admin: service.admin, json, headers })
}

describe('reading the policy', () => {
  it('answers the normalized policy with its revision as ETag', async () => {
    const { status, headers, body } = await read()
    const policy = { ...plainPolicy, allowed_operations: {}, parameter_constraints: {} }
    expect({ status, etag: headers.etag }).toEqual({ status: 200, etag: '"1"' })
    expect(body).toEqual({
      policy,
      revision: 1,
      policy_hash: documentHash('policy', canonicalJson(policy as unknown as JsonValue)),
      catalog_hash: null,
      created_at: expect.any(String),
      author: { source: 'configuration file' },
      change_note: null,
    })
  })

  it('of a tenant that nobody knows is 404', async () => {
    const { status, body } = await read('nobody')
    expect({ status, code: body.code }).toEqual({ status: 404, code: 'tenant_not_found' })
  })
})

describe('replacing the policy', () => {
  it('wrapped with a note makes the next revision, by its author', async () => {
    const { status, headers, body } = await put({ policy: closed, change_note: 'writes only' })
    expect({ status, etag: headers.etag }).toEqual({ status: 200, etag: '"2"' })
    expect(body).toMatchObject({
      revision: 2,
      change_note: 'writes only',
      policy: { allowed_operations: { crm: ['write'] } },
      author: { key_id: service.admin.split('.')[0], scope: 'admin' },
      warnings: [],
    })
    const { warnings: _warnings, regressions, ...state } = body
    expect(regressions).toEqual([])
    expect((await read()).body).toEqual(state)
  })

  it('bare is the same without a note', async () => {
    expect((await put(closed)).body).toMatchObject({ revision: 2, change_note: null, policy: closed })
  })

  it('by the same policy, however it is written, makes no revision', async () => {
    await put({ policy: closed, change_note: 'first' })
    const same = { ...closed, allowed_systems: ['crm', 'crm'], parameter_constraints: {} }
    expect((await put({ policy: same, change_note: 'second' })).body).toMatchObject({
      revision: 2,
      change_note: 'first',
    })
  })

  it('warns of a constraint that can never apply', async () => {
    const odd = { ...plainPolicy, parameter_constraints: { erp: { read: { id: { min: 1 } } } } }
    const { status, body } = await put(odd)
    expect(status).toBe(200)
    expect(body.warnings.map(({ path }) => path)).toEqual(['parameter_constraints.erp'])
  })

  it('decides the very next proposal on every process, and none before it', async () => {
    const before = await tenant.submit({ proposal_id: 'before' })
    for (let round = 0; round < 10; round += 1) {
      const on = round % 2 === 0 ? service : other
      const policy = round % 2 === 0 ? closed : plainPolicy
      const { body } = await put(policy, {}, on)
      for (const asked of [other, service]) {
        const verdict = await asked.call('POST', '/v1/actions', {
          key: tenant.agent,
          json: { ...proposalOf(round), proposal_id: `after-${round}-${asked === other}` },
        })
        expect(verdict.body).toMatchObject({
          decision: round % 2 === 0 ? 'deny' : 'allow',
          policy: { revision: body.revision, hash: body.policy_hash },
        })
      }
    }
    expect((await tenant.submit({ proposal_id: 'before' })).body).toEqual(before.body)
  })

  it('by twenty writers at once numbers the revisions without a gap', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) => put({ ...plainPolicy, review_route: `route-${at}` })),
    )
    const numbers = answers.map(({ body }) => body.revision).sort((left, right) => left - right)
    expect(numbers).toEqual(Array.from({ length: 20 }, (_, at) => at + 2))
  })

  it('for a tenant that nobody knows is 404', async () => {
    const { status, body } = await service.call<Problem>('PUT', '/v1/tenants/nobody/policy', {
      admin: service.admin,
      json: plainPolicy,
    })
    expect({ status, code: body.code }).toEqual({ status: 404, code: 'tenant_not_found' })
  })
})

describe('If-Match', () => {
  it('lets the one who read the current revision write', async () => {
    expect((await put(closed, { 'if-match': '"1"' })).body.revision).toBe(2)
    expect((await put(plainPolicy, { 'if-match': '*' })).body.revision).toBe(3)
  })

  it('refuses an old one with 412 and changes nothing', async () => {
    await put(closed)
    const { status, body } = await put(plainPolicy, { 'if-match': '"1"' })
    expect({ status, code: body.code }).toEqual({ status: 412, code: 'revision_mismatch' })
    expect((await read()).body.revision).toBe(2)
  })

  it('of ten writers with the same revision lets one through', async () => {
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, at) =>
        put({ ...plainPolicy, review_route: `route-${at}` }, { 'if-match': '"1"' }),
      ),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 9 }, () => 412)])
  })

  it.each(['1', 'W/"1"', '"1", "2"', '"x"', '""'])('%s is no revision', async header => {
    const { status, body } = await put(closed, { 'if-match': header })
    expect({ status, code: body.code }).toEqual({ status: 400, code: 'invalid_header' })
  })
})

describe('rolling back', () => {
  it.each([0, 1.5, '1', 1_000_000, 2 ** 31, 2 ** 53 - 1])('to %s is refused', async revision => {
    const { status, body } = await service.call<Problem>('POST', `/v1/tenants/${tenant.id}/policy/rollback`, {
      admin: service.admin,
      json: { revision },
    })
    expect({ status, paths: body.errors?.map(({ path }) => path) }).toEqual({
      status: 400,
      paths: ['revision'],
    })
  })
})

const wrong: [string, unknown, string[]][] = [
  ['nothing', {}, ['allowed_systems', 'approval_required_at', 'review_route']],
  ['an unknown field', { ...plainPolicy, extra: true }, ['extra']],
  ['an unknown threshold', { ...plainPolicy, approval_required_at: 'never' }, ['approval_required_at']],
  ['an empty review route', { ...plainPolicy, review_route: '' }, ['review_route']],
  ['an unknown constraint key', constrained({ regex: '.*' }), ['parameter_constraints.crm.read.id.regex']],
  ['min above max', constrained({ min: 2, max: 1 }), ['parameter_constraints.crm.read.id']],
  ['an empty one_of', constrained({ one_of: [] }), ['parameter_constraints.crm.read.id.one_of']],
  ['equals outside its bounds', constrained({ equals: 5, max: 1 }), ['parameter_constraints.crm.read.id']],
]

function constrained(constraint: object): object {
  return { ...plainPolicy, parameter_constraints: { crm: { read: { id: constraint } } } }
}

describe('a policy that is not valid', () => {
  it.each(wrong)('%s is refused with its path, bare and wrapped', async (_name, policy, paths) => {
    for (const [body, prefix] of [
      [policy, ''],
      [{ policy }, 'policy.'],
    ] as const) {
      const answer = await put(body)
      expect({ status: answer.status, code: answer.body.code }).toEqual({
        status: 400,
        code: 'validation_failed',
      })
      const found = answer.body.errors?.map(({ path }) => path) ?? []
      for (const path of paths) {
        expect(found.some(issue => issue.startsWith(prefix + path))).toBe(true)
      }
    }
    expect((await read()).body.revision).toBe(1)
  })

  it.each([
    ['a field beside the policy', { policy: closed, note: 'x' }, 'note'],
    ['a note that is no text', { policy: closed, change_note: 7 }, 'change_note'],
    ['a note that is too long', { policy: closed, change_note: 'x'.repeat(2_001) }, 'change_note'],
    ['no policy', { policy: null }, 'policy'],
  ])('%s is refused', async (_name, json, path) => {
    const { status, body } = await put(json)
    expect({ status, paths: body.errors?.map(issue => issue.path) }).toEqual({ status: 400, paths: [path] })
    expect((await read()).body.revision).toBe(1)
  })
})

describe('validating a policy', () => {
  const validate = (json: unknown) =>
    service.call<State & { valid: boolean }>('POST', '/v1/policies/validate', { admin: service.admin, json })

  it('answers its normalized form and the hash it would have', async () => {
    const { status, body } = await validate({ ...closed, allowed_systems: ['crm', 'crm'] })
    expect(status).toBe(200)
    expect(body).toMatchObject({ valid: true, policy: closed, warnings: [] })
    expect((await put(closed)).body.policy_hash).toBe(body.policy_hash)
  })

  it.each(wrong)('refuses %s', async (_name, policy) => {
    const { status, body } = await validate(policy)
    expect({ status, code: body.code }).toEqual({ status: 400, code: 'validation_failed' })
  })

  it('names every problem at once', async () => {
    const { body } = await validate({ ...plainPolicy, review_route: '', extra: 1, approval_required_at: 'x' })
    expect(body.errors?.length).toBeGreaterThanOrEqual(3)
  })
})

function proposalOf(round: number) {
  return {
    actor: { agent_id: 'agent-1' },
    summary: `round ${round}`,
    action: { target_system: 'crm', operation: 'read', parameters: {} },
    risk: { level: 'low' },
  }
}
