import postgres from 'postgres'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Problem } from '../../../shared/contract/base/errors.ts'
import { type FreshDatabase, freshDatabase } from '../../support/servers/database.ts'
import { type DatabaseProxy, startProxy } from '../../support/servers/proxy.ts'
import { asSuperuser } from '../../support/servers/superuser.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import { plainPolicy, type TestTenant } from '../../support/service/tenant.ts'

let database: FreshDatabase
let proxy: DatabaseProxy
let service: TestService
let tenant: TestTenant

beforeEach(async () => {
  database = await freshDatabase()
  proxy = await startProxy(`${database.host}/.s.PGSQL.5432`)
  service = await startService({
    database,
    databaseUrl: `postgres://${database.superuser}@127.0.0.1:${proxy.port}/${database.database}`,
    env: { SERVICE_SHUTDOWN_MS_MAX: '200', SERVICE_SWEEP_MS: '60000' },
  })
  tenant = await service.tenant()
})

afterEach(async () => {
  await service.close()
  await proxy.close()
  await database.drop()
})

async function refusal(answer: Promise<{ status: number; headers: object; body: unknown }>) {
  const { status, headers, body } = await answer
  const { 'retry-after': after } = headers as Record<string, string>
  return { status, code: (body as Problem).code, after }
}

const unavailable = { status: 503, code: 'storage_unavailable', after: '1' }
const put = () =>
  service.call('PUT', `/v1/tenants/${tenant.id}/policy`, {
    admin: service.admin,
    json: { ...plainPolicy, review_route: 'others' },
  })

describe('while the database is gone', () => {
  it('the process lives, is not ready, and says 503 to whoever needs it', async () => {
    await proxy.cut()
    expect((await service.call('GET', '/health')).status).toBe(200)
    expect(await service.call('GET', '/v1/ready')).toMatchObject({
      status: 503,
      body: { status: 'unavailable', checks: { database: 'down' } },
    })
    expect(await refusal(tenant.submit())).toEqual(unavailable)
    expect(await refusal(service.call('GET', '/v1/actions', { key: tenant.agent }))).toEqual(unavailable)
    expect(await refusal(put())).toEqual(unavailable)
    expect((await service.call('GET', '/metrics')).status).toBe(200)
  })

  it('nor ready where the database takes no writes, and ready again once it does', async () => {
    const all = (value: string) => [
      `alter database ${database.database} set default_transaction_read_only = ${value}`,
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = '${database.database}' and pid <> pg_backend_pid()`,
    ]
    const ready = async () => (await service.call('GET', '/v1/ready')).status
    await asSuperuser(database, ...all('on'))
    await expect.poll(ready).toBe(503)
    await asSuperuser(database, 'set default_transaction_read_only = off', ...all('off'))
    await expect.poll(ready).toBe(200)
  })

  it('nothing is lost: afterwards it goes on by itself', async () => {
    const before = await tenant.submit({ proposal_id: 'before' })
    const held = await tenant.submit({ risk: 'high' })
    await proxy.cut()
    await refusal(tenant.submit({ proposal_id: 'during' }))
    await proxy.restore()
    await expect
      .poll(async () => (await service.call('GET', '/v1/ready')).status, { timeout: 10_000 })
      .toBe(200)
    expect((await tenant.submit({ proposal_id: 'before' })).body).toEqual(before.body)
    expect((await tenant.submit({ proposal_id: 'during' })).body.action_status).toBe('executed')
    expect((await tenant.approve(held.body.action_id)).body.action_status).toBe('executed')
  })

  it('no answer and no log shows a statement or an address', async () => {
    await proxy.cut()
    const { text } = await tenant.submit()
    expect(text).not.toMatch(/select|127\.0\.0\.1|ECONNREFUSED|at .*\.ts/i)
  })
})

describe('a claim that fails', () => {
  it('is made again by itself, before the next sweep', async () => {
    const updates = 'update on action_gate.execution_jobs'
    await asSuperuser(database, `revoke ${updates} from action_gate_runtime`)
    const submitted = tenant.submit()
    await expect.poll(() => service.logged()).toMatch(/"where":"claim"/)
    await asSuperuser(database, `grant ${updates} to action_gate_runtime`)
    expect((await submitted).body.action_status).toBe('executed')
  })
})

describe('a statement that is held up', () => {
  it('is 503, not a failure of the service, and changes nothing', async () => {
    const { host, database: name, superuser: user } = database
    const blocking = postgres({ host, database: name, user, max: 1, onnotice: () => {} })
    try {
      await blocking.unsafe('begin; lock table action_gate.tenants in access exclusive mode')
      expect(await refusal(put())).toEqual(unavailable)
    } finally {
      await blocking.end()
    }
    const { body } = await service.call('GET', `/v1/tenants/${tenant.id}/policy`, { admin: service.admin })
    expect(body.revision).toBe(1)
  })
})
