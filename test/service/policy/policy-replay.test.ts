import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Catalog, CatalogOperation } from '../../../shared/contract/configuration/catalog.ts'
import type { ReplayReport } from '../../../shared/contract/configuration/policy-check.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import type { TestTenant } from '../../support/service/tenant.ts'

let service: TestService
let tenant: TestTenant

beforeAll(async () => {
  service = await startService({ worker: null })
  tenant = await service.tenant()
})
afterAll(() => service.close())

const pattern = '^(a?b?){100}.*d$'
const read: CatalogOperation = {
  system: 'crm',
  operation: 'read',
  title: 'Read',
  parameter_schema: {
    type: 'object',
    properties: { text: { type: 'string', pattern } },
    additionalProperties: false,
  },
  minimum_risk: 'low',
  effects: ['reads'],
  reversibility: 'reversible',
  actuator: { name: 'crm', kind: 'mock' },
  idempotency: 'key_honoured',
  tool_schema_hash: null,
}
const catalog: Catalog = { operations: [read] }

const replay = (signal?: AbortSignal): Promise<Response> =>
  fetch(`${service.url}/v1/tenants/${tenant.id}/policy/replay`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-service-admin-key': service.admin },
    body: JSON.stringify({ catalog }),
    ...(signal ? { signal } : {}),
  })

async function metric(name: string): Promise<number> {
  const { text } = await service.call('GET', '/metrics')
  const line = text.split('\n').find(one => one.startsWith(`action_gate_${name} `))
  return Number(line?.split(' ').at(-1) ?? Number.NaN)
}

test('a replay under slow rules lets others have their turn, and ends with its client', async () => {
  const text = `${'ab'.repeat(400)}d`
  for (let at = 0; at < 40; at += 1) {
    const { body } = await tenant.submit({ risk: 'high', parameters: { text } })
    expect(body.decision).toBe('needs_approval')
  }
  const report = (await (await replay()).json()) as ReplayReport
  expect(report.transitions.needs_approval).toEqual({ allow: 0, needs_approval: 40, deny: 0 })
  expect(await metric('proof_slice_seconds_count')).toBe(1)
  expect(await metric('proof_slice_seconds_sum')).toBeLessThan((await metric('proof_seconds_sum')) / 4)

  const caller = new AbortController()
  const left = replay(caller.signal)
  await expect.poll(() => metric('proofs_under_way'), { interval: 1 }).toBe(1)
  caller.abort()
  await expect(left).rejects.toThrow()
  await expect.poll(() => metric('proofs_under_way')).toBe(0)
  expect(await metric('proof_slice_seconds_count')).toBe(1)
})
