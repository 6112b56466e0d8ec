import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Problem } from '../../../shared/contract/base/errors.ts'
import { exampleOperation } from '../../../shared/contract/examples/example-policy.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import { plainPolicy } from '../../support/service/tenant.ts'

let service: TestService

beforeAll(async () => {
  service = await startService({ worker: null })
})
afterAll(() => service.close())

const many = 50_000
const numbers = Array.from({ length: many }, () => 1)
const unknown = Object.fromEntries(Array.from({ length: 15_000 }, (_, at) => [`field${at}`, 1]))
const fewer = Object.fromEntries(Object.entries(unknown).slice(0, 4_000))
const entry = { system: 'crm', operation: 'read', parameter_schema: { type: 'object', properties: fewer } }

const attacks: [string, string, object][] = [
  ['names that are numbers', '/v1/policies/validate', { ...plainPolicy, allowed_systems: numbers }],
  ['fields that nobody knows', '/v1/policies/validate', { ...plainPolicy, ...unknown }],
  [
    'constraints that are none',
    '/v1/policies/validate',
    { ...plainPolicy, parameter_constraints: { crm: { read: unknown } } },
  ],
  [
    'bounds that nothing meets',
    '/v1/policies/validate',
    {
      ...plainPolicy,
      parameter_constraints: {
        crm: Object.fromEntries(
          Array.from({ length: 4_000 }, (_, at) => [`o${at}`, { a: { min: 2, max: 1 } }]),
        ),
      },
    },
  ],
  [
    'schemas that are none, in a draft',
    '/v1/policies/verify',
    {
      policy: plainPolicy,
      catalog: { operations: [entry] },
      forbidden: [{ name: 'any', decision: 'allow' }],
    },
  ],
  ['items that are none', '/v1/policies/verify', { policy: plainPolicy, forbidden: numbers }],
]

describe('an answer to a wrong document', () => {
  it.each(attacks)('tells at most 100 problems of %s, and counts more', async (_what, path, json) => {
    const { status, text, body } = await service.call<Problem>('POST', path, { admin: service.admin, json })
    expect(status).toBe(400)
    expect(body.errors).toHaveLength(101)
    expect(body.errors?.at(-1)).toMatchObject({ path: '', code: 'more_problems' })
    expect(body.errors?.at(-1)?.message).toMatch(/^and \d+ more/)
    expect(text.length).toBeLessThan(50_000)
  })

  it('names a long path no further than it says something', async () => {
    const name = 'n'.repeat(100)
    let schema: object = { type: 'nothing' }
    for (let level = 0; level < 25; level += 1) schema = { type: 'object', properties: { [name]: schema } }
    const json = {
      policy: plainPolicy,
      catalog: { operations: [{ parameter_schema: schema }] },
      forbidden: [],
    }
    const { body } = await service.call<Problem>('POST', '/v1/policies/verify', {
      admin: service.admin,
      json,
    })
    expect(Math.max(...(body.errors ?? []).map(({ path }) => path.length))).toBeLessThan(1_010)
  })
})

describe('a large document', () => {
  const slices = async () => {
    const { text } = await service.call('GET', '/metrics')
    return Number(/^action_gate_proof_slice_seconds_count (\d+)$/m.exec(text)?.[1] ?? 0)
  }

  it('for policy/admit is read in slices, before holes are looked for in slices', async () => {
    const { id } = await service.tenant()
    const before = await slices()
    const operations = Array.from({ length: 100 }, (_, at) => ({
      ...exampleOperation,
      operation: `operation-${at}`,
    }))
    const admit = (catalog: object) =>
      service.call<Problem>('POST', `/v1/tenants/${id}/policy/admit`, {
        admin: service.admin,
        json: { catalog },
      })
    expect((await admit({ operations })).status).toBe(200)
    expect(await slices()).toBe(before + 2)
    const wrong = await admit({ operations: [...operations, { system: 7 }] })
    expect([wrong.status, wrong.body.errors?.[0]?.path]).toEqual([400, 'catalog.operations[100].system'])
    expect(await slices()).toBe(before + 3)
  })

  it('is validated in slices, between which others have their turn', async () => {
    const before = await slices()
    const allowed_systems = Array.from({ length: 1_000 }, (_, at) => `system-${at}`)
    const validate = (json: object) =>
      service.call('POST', '/v1/policies/validate', { admin: service.admin, json })
    expect((await validate({ ...plainPolicy, allowed_systems })).status).toBe(200)
    expect(await slices()).toBe(before + 1)
    expect((await validate(plainPolicy)).status).toBe(200)
    expect(await slices()).toBe(before + 1)
  })
})

it('a query of more than 32 names is refused before it is read', async () => {
  const { agent } = await service.tenant()
  const query = (count: number) => Array.from({ length: count }, (_, at) => `n${at}=`).join('&')
  const ask = (count: number) => service.call<Problem>('GET', `/v1/actions?${query(count)}`, { key: agent })
  const codes = async (count: number) => (await ask(count)).body.errors?.map(({ code }) => code)
  expect(new Set(await codes(32))).toEqual(new Set(['unknown_field']))
  expect(await codes(33)).toEqual(['too_many_names'])
  expect(await codes(2_000)).toEqual(['too_many_names'])
})
