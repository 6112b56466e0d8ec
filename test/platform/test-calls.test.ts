import type { ServerResponse } from 'node:http'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest'
import type { ToolTested } from '../../shared/contract/configuration/tool-import.ts'
import { type Downstream, startDownstream } from '../support/fixtures/http-downstream.ts'
import { sealingEnvironment, secretsEnvironment } from '../support/fixtures/secrets-keys.ts'
import {
  type ApiProcess,
  type Platform,
  startPlatform,
  tenant,
  type WorkerProcess,
} from '../support/platform/platform.ts'
import { eventually } from '../support/platform/platform-waiting.ts'

/** The API seals secrets and opens none: what names one is called by a worker, once, whoever is killed meanwhile. */
const token = 'token-that-a-tenant-stored'
const timeoutMs = 1_000
const { SERVICE_SECRETS_PUBLIC_KEY } = sealingEnvironment
const { SERVICE_SECRETS_KEY } = secretsEnvironment

let platform: Platform
let api: ApiProcess
let downstream: Downstream
let respond: (response: ServerResponse) => void
const workers: WorkerProcess[] = []

const path = '/orders/{parameters.id}'
const freeze = { reason: 'of a test', system: 'shop' }
const shop = (base_url: string, path: string) => ({
  name: 'shop',
  kind: 'http',
  settings: {
    base_url,
    timeout_ms: timeoutMs,
    auth: { type: 'bearer', token: { secret: 'shop-token' } },
    operations: { read: { method: 'GET', path } },
  },
})

const entry = {
  system: 'shop',
  operation: 'read',
  title: 'Read',
  parameter_schema: {
    type: 'object',
    additionalProperties: false,
    properties: { id: { type: 'string', maxLength: 10 } },
  },
  minimum_risk: 'low',
  effects: ['reads data'],
  reversibility: 'reversible',
  actuator: { name: 'shop', kind: 'http' },
  idempotency: 'none',
  tool_schema_hash: null,
}

beforeAll(async () => {
  downstream = await startDownstream((_seen, response) => respond(response))
  platform = await startPlatform(inject('redisUrl'), {
    SERVICE_SWEEP_MS: '100',
    SERVICE_EGRESS_ALLOW: '127.0.0.1',
  })
  api = await platform.startApi({ SERVICE_SECRETS_PUBLIC_KEY })
  expect((await registered(path)).status).toBe(200)
  const stored = await send(api, 'PUT', '/secrets/shop-token', { actuator: 'shop', value: token })
  expect(stored.status).toBe(200)
}, 120_000)

beforeEach(async () => {
  await platform.sql.unsafe('delete from action_gate.test_calls')
  downstream.seen.length = 0
  respond = response => void response.end(JSON.stringify({ id: 7, echoed: `Bearer ${token}` }))
})

afterEach(async () => {
  for (const { process } of workers.splice(0)) {
    process.signal('SIGKILL')
    await process.exited
  }
})

afterAll(async () => {
  await platform.stop()
  await downstream.close()
})

async function startWorker(more: Record<string, string> = {}): Promise<WorkerProcess> {
  const worker = await platform.startWorker({ SERVICE_SECRETS_KEY, ...more })
  workers.push(worker)
  return worker
}

async function send(to: ApiProcess, method: string, path: string, body: object) {
  const response = await fetch(`${to.url}/v1/tenants/${tenant}${path}`, {
    method,
    headers: { 'x-service-admin-key': platform.keys.admin, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return { status: response.status, text: await response.text() }
}

const registered = (at: string) =>
  send(api, 'PUT', '/tools/shop', { actuator: shop(downstream.url, at), operations: [entry] })

async function tried(to = api, id = 'a1'): Promise<ToolTested> {
  const { status, text } = await send(to, 'POST', '/tools/shop/test', {
    operation: 'read',
    parameters: { id },
  })
  expect(status, text).toBe(200)
  return JSON.parse(text) as ToolTested
}

/** Of the newest test call, in order. */
async function recorded(): Promise<Record<string, unknown>[]> {
  const rows = await platform.sql.unsafe<{ payload: string }[]>(
    `select convert_from(payload, 'UTF8') as payload from action_gate.config_payloads
     join action_gate.config_events using (tenant_id, sequence)
     where tenant_id = $1 and kind = 'tool_tested' order by sequence`,
    [tenant],
  )
  const payloads = rows.map(({ payload }) => JSON.parse(payload) as Record<string, unknown>)
  return payloads.filter(({ test_id }) => test_id === payloads.at(-1)?.test_id)
}

async function rows(): Promise<number> {
  const [row] = await platform.sql.unsafe<{ count: number }[]>(
    'select count(*)::int as count from action_gate.test_calls',
  )
  return row?.count ?? -1
}

describe('a test call that needs a stored secret', () => {
  it('is made by a worker, and answers without the secret', async () => {
    const worker = await startWorker()
    const tested = await tried()
    expect(tested).toMatchObject({
      request: { kind: 'http', method: 'GET', url: `${downstream.url}/orders/a1` },
      sent: 'called',
      verdict: { outcome: 'executed' },
      answer: { status: 200, body: { id: 7, echoed: 'Bearer [redacted]' } },
    })
    expect(downstream.seen).toMatchObject([
      { headers: { authorization: `Bearer ${token}`, 'idempotency-key': tested.test_id } },
    ])
    expect(await recorded()).toMatchObject([
      { test_id: tested.test_id, phase: 'called', confirmed: false, worker: worker.id },
      { test_id: tested.test_id, phase: 'answered', outcome: 'executed' },
    ])
    const kept = await platform.sql.unsafe(
      'select t::text as text from action_gate.test_calls t union all select a::text from action_gate.actions a',
    )
    expect(kept).toHaveLength(1)
    expect(JSON.stringify([tested, kept])).not.toContain(token)
  }, 60_000)

  it('is judged by the rule of an action, also where nothing answers in time', async () => {
    await startWorker()
    respond = response => void response.writeHead(422).end('{"why":"no"}')
    expect((await tried()).verdict?.outcome).toBe('failed')
    respond = () => undefined
    expect(await tried()).toMatchObject({
      sent: 'called',
      verdict: { outcome: 'failed', rule: expect.any(String) },
      answer: null,
    })
    expect(downstream.seen).toHaveLength(2)
  }, 60_000)

  it('is sent once, however many workers there are', async () => {
    await Promise.all([startWorker(), startWorker(), startWorker()])
    for (let at = 0; at < 10; at += 1) expect((await tried()).sent).toBe('called')
    const keys = downstream.seen.map(({ headers }) => headers['idempotency-key'])
    expect([keys.length, new Set(keys).size]).toEqual([10, 10])
  }, 60_000)

  it('is refused where as many wait as may', async () => {
    await startWorker()
    const held: ServerResponse[] = []
    respond = response => void held.push(response)
    const waiting = ['a', 'b', 'c', 'd'].map(id => tried(api, id))
    await eventually('four calls hang', () => (held.length === 4 ? true : null))
    expect(await tried(api, 'e')).toMatchObject({ sent: 'too_many', test_id: null, verdict: null })
    for (const response of held) response.end('{}')
    expect((await Promise.all(waiting)).map(({ sent }) => sent)).toEqual(Array(4).fill('called'))
    expect(downstream.seen).toHaveLength(4)
  }, 60_000)

  it('is forgotten after minutes', async () => {
    await startWorker()
    await tried()
    await platform.sql.unsafe(`update action_gate.test_calls set asked_at = asked_at - interval '6 minutes'`)
    await eventually('nothing is kept', async () => ((await rows()) === 0 ? true : null))
  }, 60_000)
})

describe('without a worker that has the means', () => {
  it('nothing is sent, nor once a worker is there', async () => {
    const nothing = { sent: 'no_worker', test_id: null, verdict: null, answer: null }
    await platform.sql.unsafe('delete from action_gate.workers')
    expect(await tried()).toMatchObject(nothing)
    expect(await rows()).toBe(0)
    await startWorker()
    expect((await tried()).sent).toBe('called')
    expect(downstream.seen).toHaveLength(1)
  }, 60_000)

  it.each<[string, () => Promise<unknown>, () => Promise<unknown>]>([
    ['that no worker takes in time', async () => undefined, async () => undefined],
    ['whose request is another by then', () => registered('/other'), () => registered(path)],
    [
      'that is frozen by then',
      () => send(api, 'POST', '/freeze', freeze),
      () => send(api, 'POST', '/unfreeze', freeze),
    ],
  ])(
    'a call %s is taken back',
    async (which, change, undo) => {
      const { process } = await startWorker()
      process.signal('SIGSTOP')
      await platform.sql.unsafe(
        `update action_gate.workers set seen_at = clock_timestamp() + interval '1 minute'`,
      )
      const asking = tried()
      await eventually('it is asked for', async () => ((await rows()) === 1 ? true : null))
      await change()
      if (which !== 'that no worker takes in time') process.signal('SIGCONT')
      expect(await asking).toMatchObject({ sent: 'no_worker', test_id: null })
      process.signal('SIGCONT')
      await undo()
      expect(await rows()).toBe(0)
      expect((await tried()).sent).toBe('called')
      expect(downstream.seen).toHaveLength(1)
    },
    60_000,
  )
})

describe('a worker that is killed', () => {
  it.each([
    { step: 'test_taken', sent: 0 },
    { step: 'test_answered', sent: 1 },
  ])(
    'at $step leaves a test call that is unknown, and is not sent again',
    async ({ step, sent }) => {
      const doomed = await startWorker({ SERVICE_FAILPOINT: `${step}:kill` })
      const asking = tried()
      expect(await doomed.process.exited).toMatchObject({ signal: 'SIGKILL' })
      await startWorker()
      expect(await asking).toMatchObject({
        sent: 'called',
        verdict: { outcome: 'unknown', rule: 'worker_lost' },
        answer: null,
      })
      expect(downstream.seen).toHaveLength(sent)
      expect(await recorded()).toMatchObject([
        { phase: 'called' },
        { phase: 'answered', outcome: 'unknown', rule: 'worker_lost' },
      ])
    },
    60_000,
  )

  it('or held at test_taken beyond the time of the call sends nothing', async () => {
    await startWorker({ SERVICE_FAILPOINT: `test_taken:stall=${2 * timeoutMs}` })
    expect((await tried()).verdict?.outcome).toBe('not_sent')
    expect(downstream.seen).toEqual([])
  }, 60_000)

  it('or held at test_answered until it is judged records nothing', async () => {
    await startWorker({ SERVICE_FAILPOINT: `test_answered:stall=${timeoutMs + 7_000}` })
    expect((await tried()).verdict).toMatchObject({ outcome: 'unknown', rule: 'worker_lost' })
    respond = response => void response.end('{}')
    expect((await tried()).verdict?.outcome).toBe('executed')
    expect(await recorded()).toHaveLength(2)
  }, 60_000)
})

describe('an API that is killed', () => {
  it('at test_asked leaves a test call that a worker makes once, and records', async () => {
    await startWorker()
    const doomed = await platform.startApi({
      SERVICE_SECRETS_PUBLIC_KEY,
      SERVICE_FAILPOINT: 'test_asked:kill',
    })
    await expect(tried(doomed)).rejects.toThrow()
    expect(await doomed.process.exited).toMatchObject({ signal: 'SIGKILL' })
    await eventually('its end is recorded', async () =>
      (await recorded()).length === 2 && downstream.seen.length === 1 ? true : null,
    )
    expect(await recorded()).toMatchObject([{ phase: 'called' }, { phase: 'answered', outcome: 'executed' }])
  }, 60_000)
})
