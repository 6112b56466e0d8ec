import { afterEach, describe, expect, it } from 'vitest'
import type { RegisteredActuator } from '../../shared/contract/actuator.ts'
import { type FreshDatabase, freshDatabase } from '../support/database.ts'
import { type Downstream, startDownstream } from '../support/http-downstream.ts'
import { startService, type TestService, type TestServiceOptions } from '../support/service.ts'
import { plainPolicy, proposal, type TestTenant } from '../support/tenant.ts'

let database: FreshDatabase
let downstream: Downstream
let service: TestService

afterEach(async () => {
  await service.close()
  await downstream.close()
  await database.drop()
})

const env = {
  SERVICE_RETRY_AFTER_MS_MAX: '100',
  SERVICE_RETRY_MS_MAX: '100',
  SERVICE_SWEEP_MS: '100',
  SERVICE_ATTEMPTS_MAX: '2',
  SERVICE_EGRESS_ALLOW: '127.0.0.1',
  SERVICE_SUBMIT_WAIT_MS: '0',
}

async function start(more: TestServiceOptions['env'] = {}): Promise<void> {
  service = await startService({ database, env: { ...env, ...more } })
}

function registered(): RegisteredActuator[] {
  const settings = {
    base_url: downstream.url,
    auth: { type: 'bearer' as const, token: { env: 'ACTUATOR_CMR_TOKEN' } },
    operations: { read: { method: 'POST' as const, path: '/' } },
  }
  return [
    { name: 'crm', kind: 'http', settings },
    { name: 'mock', kind: 'mock', settings: {} },
  ]
}

async function make(): Promise<TestTenant> {
  database = await freshDatabase()
  downstream = await startDownstream((_seen, response) => response.end('{}'))
  await start()
  const policy = { ...plainPolicy, allowed_systems: ['crm', 'mock'] }
  return service.tenant({ policy, actuators: registered() })
}

describe('a worker without a secret that a registration refers to', () => {
  it('starts, and lets only the jobs of that actuator wait', async () => {
    const tenant = await make()
    await service.close()
    await start()
    const key = tenant.agent
    const submit = async (system: string) =>
      (
        await service.call<{ action_id: string }>('POST', '/v1/actions', {
          key,
          json: proposal({ system, risk: 'low' }),
        })
      ).body.action_id
    const [waiting, other] = [await submit('crm'), await submit('mock')]
    const read = async (id: string) =>
      (
        await service.call<{ status: string; job: { attempt: number; last_error: string | null } }>(
          'GET',
          `/v1/actions/${id}`,
          { key },
        )
      ).body
    await expect.poll(async () => (await read(other)).status, { timeout: 20_000 }).toBe('executed')
    // More attempts than there are: none is used up.
    await expect.poll(async () => (await read(waiting)).job.attempt, { timeout: 20_000 }).toBeGreaterThan(3)
    expect((await read(waiting)).job.last_error).toBe('secret_missing')
    expect(downstream.seen).toEqual([])
    await service.close()
    await start({ ACTUATOR_CMR_TOKEN: 'token-of-the-crm' })
    await expect.poll(async () => (await read(waiting)).status, { timeout: 20_000 }).toBe('executed')
    expect(downstream.seen.map(({ headers }) => headers.authorization)).toEqual(['Bearer token-of-the-crm'])
  })
})

describe('replacing the registrations of a tenant', () => {
  it('tells what the live workers lack, and where, and stores it all the same', async () => {
    const tenant = await make()
    const [crm, mock] = registered()
    const tickets = {
      name: 'tickets',
      kind: 'mcp',
      settings: { transport: { type: 'stdio', server: 'tikets' }, tools: {} },
    }
    const near = { name: 'near', kind: 'http', settings: { base_url: 'http://10.0.0.1', operations: {} } }
    const replace = () =>
      service.call<{ actuators: object[]; warnings: { path: string; code: string; message: string }[] }>(
        'PUT',
        `/v1/tenants/${tenant.id}/actuators`,
        { admin: service.admin, json: { actuators: [crm, mock, near, tickets] } },
      )
    await expect.poll(async () => (await replace()).body.warnings?.length, { timeout: 20_000 }).toBe(3)
    const { status, body } = await replace()
    expect(status).toBe(200)
    expect(body.actuators).toHaveLength(4)
    expect(body.warnings).toEqual([
      {
        path: 'actuators[0].settings.auth.token.env',
        code: 'secret_missing',
        message: 'ACTUATOR_CMR_TOKEN is not set (1 of 1 live workers)',
      },
      {
        path: 'actuators[2].settings.base_url',
        code: 'egress_refused',
        message: expect.stringContaining('SERVICE_EGRESS_ALLOW'),
      },
      {
        path: 'actuators[3].settings.transport.server',
        code: 'mcp_server_missing',
        message: 'tikets is not one of SERVICE_MCP_SERVERS (1 of 1 live workers)',
      },
    ])
  })
})
