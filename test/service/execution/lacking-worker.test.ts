import { afterEach, describe, expect, it } from 'vitest'
import type { Actuator } from '../../../shared/actuator/actuator.ts'
import type { RegisteredActuator } from '../../../shared/contract/configuration/actuator-schema.ts'
import { type Downstream, startDownstream } from '../../support/fixtures/http-downstream.ts'
import { type FreshDatabase, freshDatabase } from '../../support/servers/database.ts'
import { startService, type TestService, type TestServiceOptions } from '../../support/service/service.ts'
import { plainPolicy, proposal, type TestTenant } from '../../support/service/tenant.ts'

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

async function start(more: TestServiceOptions['env'] = {}, modules: readonly Actuator[] = []): Promise<void> {
  service = await startService({ database, modules, env: { ...env, ...more } })
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
    { name: 'ledger', kind: 'module', settings: {} },
  ]
}

const ledger: Actuator = {
  name: 'ledger',
  idempotency: 'none',
  invoke: async () => ({ class: 'ok', detail: {} }),
}

interface Waiting {
  status: string
  job: { attempt: number; last_error: string | null }
  outcome?: { code: string }
}

async function read({ agent: key }: TestTenant, id: string): Promise<Waiting> {
  return (await service.call<Waiting>('GET', `/v1/actions/${id}`, { key })).body
}

async function submit({ agent: key }: TestTenant, system: string): Promise<string> {
  const json = proposal({ system, risk: 'low' })
  const { body } = await service.call<{ action_id: string }>('POST', '/v1/actions', { key, json })
  return body.action_id
}

async function make(): Promise<TestTenant> {
  database = await freshDatabase()
  downstream = await startDownstream((_seen, response) => response.end('{}'))
  await start()
  const policy = { ...plainPolicy, allowed_systems: ['crm', 'mock', 'ledger'] }
  return service.tenant({ policy, actuators: registered() })
}

describe('a worker without a secret that a registration refers to', () => {
  it('starts, and lets only the jobs of that actuator wait', async () => {
    const tenant = await make()
    await service.close()
    await start()
    const [waiting, other] = [await submit(tenant, 'crm'), await submit(tenant, 'mock')]
    await expect.poll(async () => (await read(tenant, other)).status, { timeout: 20_000 }).toBe('executed')
    // More attempts than there are: none is used up. While one runs, the job has no last error.
    await expect
      .poll(async () => (await read(tenant, waiting)).job, { timeout: 20_000 })
      .toSatisfy(({ attempt, last_error }) => attempt > 3 && last_error === 'secret_missing')
    expect(downstream.seen).toEqual([])
    await service.close()
    await start({ ACTUATOR_CMR_TOKEN: 'token-of-the-crm' })
    await expect.poll(async () => (await read(tenant, waiting)).status, { timeout: 20_000 }).toBe('executed')
    expect(downstream.seen.map(({ headers }) => headers.authorization)).toEqual(['Bearer token-of-the-crm'])
  })
})

describe('a worker that did not load a module that a registration names', () => {
  it('lets its jobs wait, says so, and a worker that has it takes them up', async () => {
    const tenant = await make()
    const id = await submit(tenant, 'ledger')
    // More attempts than there are: none is used up.
    await expect
      .poll(async () => (await read(tenant, id)).job, { timeout: 20_000 })
      .toSatisfy(({ attempt, last_error }) => attempt > 3 && last_error === 'actuator_not_available')
    const retried = async () => {
      const { body } = await service.call<{ retries: object[] }>('GET', '/v1/queue', {
        admin: service.admin,
      })
      return body.retries
    }
    await expect
      .poll(retried, { timeout: 20_000 })
      .toEqual([{ target_system: 'ledger', code: 'actuator_not_available', count: 1 }])
    await service.close()
    await start({}, [ledger])
    await expect.poll(async () => (await read(tenant, id)).status, { timeout: 20_000 }).toBe('executed')
  })

  it('ends them when their time is over', async () => {
    const tenant = await make()
    await service.close()
    await start({ SERVICE_EXECUTE_WITHIN_MS: '1000' })
    const id = await submit(tenant, 'ledger')
    await expect
      .poll(async () => (await read(tenant, id)).status, { timeout: 20_000 })
      .toBe('execution_failed')
    expect((await read(tenant, id)).outcome).toMatchObject({ code: 'actuator_not_available' })
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

  it('tells that no live worker has loaded its module, until one has', async () => {
    const tenant = await make()
    const replace = async () => {
      const path = `/v1/tenants/${tenant.id}/actuators`
      const json = { actuators: registered().slice(2) }
      const { status, body } = await service.call<{ warnings: object[] }>('PUT', path, {
        admin: service.admin,
        json,
      })
      expect(status).toBe(200)
      return body.warnings
    }
    const missing = {
      path: 'actuators[0].name',
      code: 'actuator_not_available',
      message: 'no module that was loaded with --actuators is called ledger (1 of 1 live workers)',
    }
    await expect.poll(replace, { timeout: 20_000 }).toEqual([missing])
    await service.close()
    await start({}, [ledger])
    await expect.poll(replace, { timeout: 20_000 }).toEqual([])
  })
})
