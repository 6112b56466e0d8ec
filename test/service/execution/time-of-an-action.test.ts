import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Trace } from '../../../shared/contract/action/action.ts'
import type { RegisteredActuator } from '../../../shared/contract/configuration/actuator-schema.ts'
import type { CatalogOperation } from '../../../shared/contract/configuration/catalog.ts'
import { startService, type TestService } from '../../support/service/service.ts'

const attemptsMax = 3

let service: TestService
let port: number

const attempts = ({ events }: Trace): number =>
  events.filter(({ kind }) => kind === 'execution_attempt').length

/** A port on which nobody listens now. */
async function closedPort(): Promise<number> {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return address.port
}

beforeAll(async () => {
  port = await closedPort()
  service = await startService({
    env: {
      SERVICE_EGRESS_ALLOW: '127.0.0.1',
      SERVICE_ATTEMPTS_MAX: String(attemptsMax),
      SERVICE_RETRY_MS_MIN: '20',
      SERVICE_RETRY_MS_MAX: '100',
      SERVICE_SUBMIT_WAIT_MS: '0',
      SERVICE_SWEEP_MS: '100',
    },
  })
})

afterAll(() => service.close())

const shop = (): RegisteredActuator => ({
  name: 'shop',
  kind: 'http',
  settings: {
    base_url: `http://127.0.0.1:${port}`,
    operations: { refund: { method: 'POST', path: '/refunds' } },
  },
})

describe('an action that provably had no effect', () => {
  it('outlives a restart of its downstream, and keeps its approval', async () => {
    const tenant = await service.tenant({
      policy: { allowed_systems: ['shop'], approval_required_at: 'medium', review_route: 'leads' },
      actuators: [shop()],
    })
    const { body } = await tenant.submit({ system: 'shop', operation: 'refund', risk: 'high' })
    expect((await tenant.approve(body.action_id, {}, { prefer: 'wait=0' })).status).toBe(202)
    const tried = async () => attempts(await tenant.trace(body.action_id))
    await expect.poll(tried, { timeout: 20_000 }).toBeGreaterThan(2 * attemptsMax)
    let answered = 0
    const downstream: Server = createServer((_, response) => {
      answered += 1
      response.setHeader('content-type', 'application/json').end('{"id":7}')
    })
    downstream.listen(port, '127.0.0.1')
    await once(downstream, 'listening')
    try {
      expect(await tenant.settled(body.action_id)).toMatchObject({
        status: 'executed',
        approval: { decision: 'approved' },
      })
      expect(answered).toBe(1)
    } finally {
      downstream.close()
      downstream.closeAllConnections()
    }
  }, 60_000)

  it('ends as failed when the time of its tenant or catalog entry is over', async () => {
    const tenant = await ownTenant(1_000)
    const ended = await tenant.run('brief')
    expect(ended).toMatchObject({
      status: 'execution_failed',
      verdict: { execute_within_ms: 1_000 },
      execution: { outcome: 'failed', error: { code: 'mock_retry' } },
    })
    expect(attempts(ended)).toBeGreaterThan(attemptsMax)
    const longer = await tenant.run('patient')
    expect(longer.verdict).toMatchObject({ execute_within_ms: 2_500 })
    expect(lasted(longer)).toBeGreaterThanOrEqual(2_500)
    expect(lasted(ended)).toBeGreaterThanOrEqual(1_000)
    expect(lasted(ended)).toBeLessThan(lasted(longer))
  }, 60_000)
})

/** From the first attempt to the last outcome. */
function lasted({ events, execution }: Trace): number {
  const first = events.find(({ kind }) => kind === 'execution_attempt')
  return Date.parse(execution?.at ?? '') - Date.parse(first?.at ?? '')
}

async function ownTenant(execute_within_ms: number) {
  const tenant_id = 'brief'
  const admin = service.admin
  const made = await service.call<{ api_key: string }>('POST', '/v1/tenants', {
    admin,
    json: {
      tenant_id,
      policy: { allowed_systems: ['busy'], approval_required_at: 'high', review_route: 'leads' },
      execute_within_ms,
      catalog: { operations: [entry('brief'), entry('patient', 2_500)] },
    },
  })
  expect(made.status).toBe(201)
  const registered = await service.call('PUT', `/v1/tenants/${tenant_id}/actuators`, {
    admin,
    json: { actuators: [{ name: 'busy', kind: 'mock', settings: { outcome: 'retry' } }] },
  })
  expect(registered.status).toBe(200)
  const key = made.body.api_key
  return {
    async run(operation: string): Promise<Trace> {
      const json = {
        proposal_id: `p-${operation}`,
        actor: { agent_id: 'agent-1' },
        summary: 'Try it',
        action: { target_system: 'busy', operation, parameters: {} },
        risk: { level: 'low' },
      }
      const { body } = await service.call<{ action_id: string }>('POST', '/v1/actions', { key, json })
      return (await service.call<Trace>('GET', `/v1/actions/${body.action_id}?wait=30`, { key })).body
    },
  }
}

function entry(operation: string, execute_within_ms?: number): CatalogOperation {
  return {
    system: 'busy',
    operation,
    title: 'Try it',
    parameter_schema: { type: 'object', additionalProperties: false, properties: {} },
    minimum_risk: 'low',
    effects: [],
    reversibility: 'reversible',
    actuator: { name: 'busy', kind: 'mock' },
    idempotency: 'key_honoured',
    tool_schema_hash: null,
    ...(execute_within_ms === undefined ? {} : { execute_within_ms }),
  }
}
