import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { HttpSettings } from '../../../shared/contract/configuration/http-actuator-schema.ts'
import { type Downstream, type Seen, startDownstream } from '../../support/fixtures/http-downstream.ts'
import { type FreshDatabase, freshDatabase } from '../../support/servers/database.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import type { TestTenant } from '../../support/service/tenant.ts'

let database: FreshDatabase
let service: TestService
let tenant: TestTenant
let downstream: Downstream
let poll: (response: ServerResponse, nth: number) => void
let location: string | undefined

const accept = (response: ServerResponse): void => {
  response.writeHead(202, location === undefined ? {} : { location }).end('{"state":"queued"}')
}
const say =
  (state: string, status = 200) =>
  (response: ServerResponse) =>
    void response.writeHead(status).end(JSON.stringify({ state }))

const env = {
  SERVICE_EGRESS_ALLOW: '127.0.0.1',
  SERVICE_SWEEP_MS: '100',
  SERVICE_LEASE_MS: '1000',
  SERVICE_EXECUTION_MS_MAX: '500',
  SERVICE_SUBMIT_WAIT_MS: '0',
  ACTUATOR_CRM_TOKEN: 'token-of-the-crm',
}

function settings(more: Partial<HttpSettings> = {}, deadline_ms = 20_000): HttpSettings {
  return {
    base_url: downstream.url,
    timeout_ms: 400,
    auth: { type: 'bearer', token: { env: 'ACTUATOR_CRM_TOKEN' } },
    ...more,
    operations: {
      export: {
        method: 'POST',
        path: '/exports',
        completion: {
          poll: {
            done_when: { path: 'state', equals: 'done' },
            failed_when: [{ path: 'state', equals: 'failed' }, { status: [410] }],
            interval_ms: 100,
          },
          deadline_ms,
        },
      },
    },
  }
}

async function register(registered: HttpSettings): Promise<void> {
  const json = { actuators: [{ name: 'crm', kind: 'http', settings: registered }] }
  const path = `/v1/tenants/${tenant.id}/actuators`
  expect((await service.call('PUT', path, { admin: service.admin, json })).status).toBe(200)
}

const polls = (): Seen[] => downstream.seen.filter(({ method }) => method === 'GET')
const sent = (): Seen[] => downstream.seen.filter(({ method }) => method === 'POST')

async function submit(): Promise<string> {
  const { body } = await tenant.submit({ system: 'crm', operation: 'export', parameters: { of: 'all' } })
  return body.action_id
}

beforeAll(async () => {
  database = await freshDatabase()
  downstream = await startDownstream((seen, response) =>
    seen.method === 'POST' ? accept(response) : poll(response, polls().length),
  )
  service = await startService({ database, env })
  tenant = await service.tenant({
    policy: { allowed_systems: ['crm'], approval_required_at: 'high', review_route: 'leads' },
    actuators: [{ name: 'crm', kind: 'http', settings: settings() }],
  })
})

beforeEach(async () => {
  downstream.seen.length = 0
  location = '/exports/7'
  poll = say('done')
  await register(settings())
})

afterAll(async () => {
  await service.close()
  await downstream.close()
  await database.drop()
})

describe('an operation that the downstream accepts', () => {
  it('is executed once the downstream says that it is done', async () => {
    poll = (response, nth) => say(nth < 3 ? 'running' : 'done')(response)
    const trace = await tenant.settled(await submit())
    expect(trace).toMatchObject({
      status: 'executed',
      execution: { result: { ok: true, detail: { status: 200, body: { state: 'done' } } } },
    })
    expect(trace.events.at(-1)).toMatchObject({
      kind: 'execution',
      body: { outcome: 'ok', rule: 'completion.poll.done_when' },
    })
    expect(sent()).toHaveLength(1)
    expect(polls().length).toBeGreaterThanOrEqual(3)
    expect(polls()[0]).toMatchObject({
      url: '/exports/7',
      headers: { authorization: 'Bearer token-of-the-crm' },
    })
  })

  it('is executing meanwhile, however often its lease would have run out', async () => {
    poll = say('running')
    const id = await submit()
    await expect.poll(() => polls().length, { timeout: 20_000 }).toBeGreaterThan(15)
    expect(await readStatus(id)).toBe('executing')
    expect(sent()).toHaveLength(1)
    poll = say('done')
    expect((await tenant.settled(id)).status).toBe('executed')
  })

  it.each<[string, (response: ServerResponse) => void, string]>([
    ['failed by its state', say('failed'), 'completion.poll.failed_when[0]'],
    ['failed by its status', say('?', 410), 'completion.poll.failed_when[1]'],
  ])('is %s where the downstream says so', async (_name, answer, rule) => {
    poll = answer
    const trace = await tenant.settled(await submit())
    expect(trace).toMatchObject({
      status: 'execution_failed',
      execution: { error: { code: 'failed_as_stated' } },
    })
    expect(trace.events.at(-1)).toMatchObject({ body: { rule } })
  })

  it.each<[string, (response: ServerResponse) => void]>([
    ['an error', say('done', 500)],
    ['that nothing is there', say('done', 404)],
    ['nothing that is JSON', response => void response.end('<html>')],
    ['half an answer', response => void response.destroy()],
    ['nothing at all', () => undefined],
    ['that it goes on', say('running')],
  ])('is unknown at its deadline, and sent once, where polls say %s', async (_name, answer) => {
    poll = answer
    await register(settings({ idempotency: 'key_honoured' }, 1_000))
    const trace = await tenant.settled(await submit())
    expect(trace).toMatchObject({
      status: 'outcome_unknown',
      execution: { error: { code: 'completion_deadline' } },
    })
    expect(polls().length).toBeGreaterThan(0)
    expect(sent()).toHaveLength(1)
  })

  it.each<[string, string | undefined, string]>([
    ['no address', undefined, 'completion_without_url'],
    ['one of another host', 'http://other.example/exports/7', 'completion_elsewhere'],
    ['one of another port', 'http://127.0.0.1:1/exports/7', 'completion_elsewhere'],
    ['one with a user', '//user@127.0.0.1/', 'completion_elsewhere'],
    ['one that holds the secret', '/exports?token=token-of-the-crm', 'completion_with_secret'],
  ])('is unknown at once where the answer has %s', async (_name, place, code) => {
    location = place
    expect(await tenant.settled(await submit())).toMatchObject({
      status: 'outcome_unknown',
      execution: { error: { code } },
    })
    expect(polls()).toEqual([])
  })

  it('is not asked about at another host that was registered meanwhile', async () => {
    poll = say('running')
    await register(settings({}, 1_500))
    const id = await submit()
    await expect.poll(() => polls().length, { timeout: 20_000 }).toBeGreaterThan(0)
    const other = await startDownstream((_seen, response) => say('done')(response))
    await register(settings({ base_url: other.url }, 1_500))
    expect((await tenant.settled(id)).status).toBe('outcome_unknown')
    expect(other.seen).toEqual([])
    await other.close()
  })
})

describe('when the worker goes away', () => {
  it('another asks on, and sends nothing again', async () => {
    poll = say('running')
    const id = await submit()
    await expect.poll(() => polls().length, { timeout: 20_000 }).toBeGreaterThan(0)
    await service.close()
    service = await startService({ database, env })
    expect(await readStatus(id)).toBe('executing')
    poll = say('done')
    await expect.poll(() => readStatus(id), { timeout: 20_000 }).toBe('executed')
    expect(sent()).toHaveLength(1)
  })
})

async function readStatus(id: string): Promise<string> {
  return (await service.call<{ status: string }>('GET', `/v1/actions/${id}`, { key: tenant.agent })).body
    .status
}
