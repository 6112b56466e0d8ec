import { afterAll, beforeAll, expect, it } from 'vitest'
import { weightOf } from '../../../shared/flow/core/rules-cache.ts'
import {
  adminKey,
  makePlace,
  makeSeed,
  type RunningProcess,
  type ServicePlace,
} from '../../support/service/service-process.ts'
import { plainPolicy, proposal } from '../../support/service/tenant.ts'

/** A real process with a heap of 256 MB, and tenants whose rules take 4 MB each. */
let seed: ServicePlace
let place: ServicePlace
let service: RunningProcess
let admin: string

const tenantCount = 90

beforeAll(async () => {
  seed = await makeSeed()
  place = await makePlace(seed.directory)
  const flags = ['--tenant-db', await place.plant('db'), '--bootstrap-admin-key-name', 'first']
  service = await place.start(flags, {
    NODE_OPTIONS: '--max-old-space-size=256',
    SERVICE_RATE_LIMIT: '100000',
    SERVICE_SUBMIT_WAIT_MS: '0',
  })
  admin = await adminKey(service)
}, 60_000)

afterAll(async () => {
  await place.clear()
  await seed.clear()
}, 60_000)

/** Short, and large once it is read: an object for three characters. */
const constants = Array.from({ length: 15_000 }, (_, at) => [at % 10])
const operation = (name: string) => ({
  system: 'crm',
  operation: name,
  title: 'Read',
  parameter_schema: {
    type: 'object',
    properties: {
      contact: { type: ['integer', 'array'], items: { type: 'integer' }, enum: [42, ...constants] },
    },
    additionalProperties: false,
  },
  minimum_risk: 'low',
  effects: ['reads'],
  reversibility: 'reversible',
  actuator: { name: 'crm', kind: 'mock' },
  idempotency: 'key_honoured',
  tool_schema_hash: null,
})
const catalog = { operations: ['read', 'write', 'move', 'drop'].map(operation) }

it(`${tenantCount} applications with large catalogs fit a heap of 256 MB`, async () => {
  for (let at = 0; at < tenantCount; at += 1) {
    const json = { tenant_id: `t${at}`, policy: plainPolicy, mock_actuators: ['crm'], catalog }
    const made = await service.call<{ api_key: string }>('POST', '/v1/tenants', { admin, json })
    expect(made.status, made.text.slice(0, 300)).toBe(201)
    const asked = await service.call('POST', '/v1/actions', { key: made.body.api_key, json: proposal() })
    expect(asked.status, asked.text.slice(0, 300)).toBe(202)
  }
  expect((await service.call('GET', '/v1/ready')).status).toBe(200)
}, 400_000)

it('rules weigh by what they hold, and a small tenant little', () => {
  const documents = (policy: object, revised: object | null) => ({
    version: 1,
    approval_ttl_ms: 1,
    execute_within_ms: 3_600_000,
    policy: { policy: JSON.stringify(policy), policy_hash: '', revision: 1 },
    catalog: revised && { catalog: JSON.stringify(revised), catalog_hash: '', revision: 1 },
    actuators: [],
    freezes: [],
    pauses: [],
    grants: [],
    routes: [],
    groups: [],
  })
  expect(weightOf(documents(plainPolicy, null))).toBeLessThan(10_000)
  // Measured: 3.8 MB on the heap.
  expect(weightOf(documents(plainPolicy, catalog))).toBeGreaterThan(3_800_000)
})
