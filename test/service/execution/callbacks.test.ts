import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { HttpSettings } from '../../../shared/contract/configuration/http-actuator-schema.ts'
import { keepDispatched } from '../../../shared/store/job/dispatched-operations.ts'
import { expiredLeases } from '../../../shared/store/job/jobs.ts'
import type { Reader, Writer } from '../../../shared/store/postgres/open.ts'
import { type Downstream, type Seen, startDownstream } from '../../support/fixtures/http-downstream.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import type { TestTenant } from '../../support/service/tenant.ts'

/** A downstream that accepts an operation and calls the address that the request told it. */
let service: TestService
let tenant: TestTenant
let downstream: Downstream
let accept: (seen: Seen, response: ServerResponse) => void
let poll: (response: ServerResponse) => void

const env = {
  SERVICE_EGRESS_ALLOW: '127.0.0.1',
  SERVICE_SWEEP_MS: '100',
  SERVICE_LEASE_MS: '6000',
  SERVICE_EXECUTION_MS_MAX: '5000',
  SERVICE_SUBMIT_WAIT_MS: '0',
  SERVICE_WEBHOOK_KEY: Buffer.alloc(32, 7).toString('base64'),
  ACTUATOR_CRM_TOKEN: 'token-of-the-crm',
}
const ends = {
  done_when: { path: 'state', equals: 'done' },
  failed_when: { path: 'state', equals: 'failed' },
} as const

function settings({ deadline_ms = 20_000, polled = false, ...more }: Traits = {}): HttpSettings {
  return {
    base_url: downstream.url,
    timeout_ms: 4_000,
    auth: { type: 'bearer', token: { env: 'ACTUATOR_CRM_TOKEN' } },
    ...more,
    operations: {
      export: {
        method: 'POST',
        path: '/exports',
        headers: { 'X-Notify': '{callback_url}' },
        body: { of: '{parameters.of}', notify: '{callback_url}' },
        completion: {
          callback: ends,
          ...(polled ? { poll: { ...ends, interval_ms: 200 } } : {}),
          deadline_ms,
        },
      },
    },
  }
}

interface Traits extends Partial<HttpSettings> {
  deadline_ms?: number
  polled?: boolean
}

async function register(registered: HttpSettings): Promise<void> {
  const json = { actuators: [{ name: 'crm', kind: 'http', settings: registered }] }
  const path = `/v1/tenants/${tenant.id}/actuators`
  const put = await service.call('PUT', path, { admin: service.admin, json })
  expect(put.status, JSON.stringify(put.body)).toBe(200)
}

const sent = (): Seen[] => downstream.seen.filter(({ method }) => method === 'POST')

async function submit(): Promise<string> {
  const { body } = await tenant.submit({ system: 'crm', operation: 'export', parameters: { of: 'all' } })
  return body.action_id
}

/** The address that the latest request told. */
async function told(): Promise<string> {
  await expect.poll(() => sent().length, { timeout: 20_000 }).toBeGreaterThan(0)
  const { notify } = JSON.parse(sent().at(-1)?.body ?? '') as { notify: string }
  expect(sent().at(-1)?.headers['x-notify']).toBe(notify)
  return notify
}

const callBack = (url: string, body: unknown): Promise<Response> =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })

/** Until a worker has kept that the operation was accepted. */
async function isAccepted(id: string): Promise<void> {
  await expect
    .poll(async () => (await dispatched(id)).map(({ url }) => typeof url), { timeout: 20_000 })
    .toHaveLength(1)
}

async function dispatched(id: string): Promise<{ url: string | null; called_back: string | null }[]> {
  return service.context.store.read([tenant.id], reader =>
    reader.query('', `select url, called_back from dispatched_operations where action_id = '${id}'`, []),
  )
}

async function statusOf(id: string): Promise<string> {
  return (await service.call<{ status: string }>('GET', `/v1/actions/${id}`, { key: tenant.agent })).body
    .status
}

async function counted(result: string): Promise<number> {
  const { values } = (await service.context.events.registry
    .getSingleMetric('action_gate_callbacks_total')
    ?.get()) ?? { values: [] }
  return values.find(({ labels }) => labels.result === result)?.value ?? 0
}

beforeAll(async () => {
  downstream = await startDownstream((seen, response) =>
    seen.method === 'POST' ? accept(seen, response) : poll(response),
  )
  service = await startService({ env })
  tenant = await service.tenant({
    policy: { allowed_systems: ['crm'], approval_required_at: 'high', review_route: 'leads' },
    actuators: [{ name: 'crm', kind: 'http', settings: settings() }],
  })
})

beforeEach(async () => {
  downstream.seen.length = 0
  accept = (_seen, response) => void response.writeHead(202, { location: '/exports/7' }).end('{}')
  poll = response => void response.end('{"state":"running"}')
  await register(settings())
})

afterAll(async () => {
  await service.close()
  await downstream.close()
})

describe('a callback', () => {
  it('ends the operation with its body as the result, and hides what is secret', async () => {
    const id = await submit()
    const url = await told()
    await isAccepted(id)
    expect(await statusOf(id)).toBe('executing')
    const answer = await callBack(url, { state: 'done', echo: 'token-of-the-crm' })
    expect([answer.status, await answer.json()]).toEqual([200, { status: 'taken' }])
    const trace = await tenant.settled(id)
    expect(trace).toMatchObject({
      status: 'executed',
      execution: {
        attempt: 1,
        result: { ok: true, detail: { body: { state: 'done', echo: '[redacted]' } } },
      },
    })
    expect(trace.events.at(-1)).toMatchObject({
      kind: 'execution',
      body: { outcome: 'ok', rule: 'completion.callback.done_when' },
    })
    expect(sent()).toHaveLength(1)
  })

  it('says that nothing was done', async () => {
    const id = await submit()
    const url = await told()
    await isAccepted(id)
    await callBack(url, { state: 'failed' })
    expect(await tenant.settled(id)).toMatchObject({
      status: 'execution_failed',
      execution: { error: { code: 'failed_as_stated' } },
    })
  })

  it('is kept where it comes before the answer that accepts', async () => {
    accept = (seen, response) => {
      const { notify } = JSON.parse(seen.body) as { notify: string }
      void callBack(notify, { state: 'done' }).then(() => response.writeHead(202).end('{}'))
    }
    const id = await submit()
    expect((await tenant.settled(id)).status).toBe('executed')
    expect(sent()).toHaveLength(1)
  })

  it('counts where the answer that accepts never comes', async () => {
    accept = (seen, response) => {
      const { notify } = JSON.parse(seen.body) as { notify: string }
      void callBack(notify, { state: 'done' }).then(() => response.destroy())
    }
    expect((await tenant.settled(await submit())).status).toBe('executed')
    expect(sent()).toHaveLength(1)
  })

  it('is taken once: what is repeated, or says otherwise later, changes nothing', async () => {
    const id = await submit()
    const url = await told()
    await isAccepted(id)
    const before = await counted('kept')
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, at) => callBack(url, { state: 'done', at })),
    )
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    expect((await counted('kept')) - before).toBe(1)
    expect((await tenant.settled(id)).status).toBe('executed')
    const ended = (await tenant.trace(id)).events
    expect((await callBack(url, { state: 'failed' })).status).toBe(200)
    expect((await tenant.trace(id)).events).toEqual(ended)
  })

  it.each<[string, (url: string, other: string) => string]>([
    ['of another attempt', url => url.replace(/\.1\.([^.]+)$/, '.2.$1')],
    ['with another proof', url => `${url.slice(0, -1)}${url.endsWith('A') ? 'B' : 'A'}`],
    [
      'with the proof of another action',
      (url, other) => url.replace(/[^.]+$/, other.split('.').at(-1) ?? ''),
    ],
    ['of another tenant', url => url.replace('/callbacks/', '/callbacks/x')],
    ['without a proof', url => url.replace(/\.[^.]+$/, '')],
    ['with more', url => `${url}.${'A'.repeat(43)}`],
    ['that is far too long', url => `${url}${'A'.repeat(300)}`],
  ])('%s is answered 404 and changes nothing', async (_name, forged) => {
    const other = await submit().then(told)
    downstream.seen.length = 0
    const id = await submit()
    const url = await told()
    await isAccepted(id)
    const answer = await callBack(forged(url, other), { state: 'done' })
    expect([answer.status, await answer.json()]).toMatchObject([404, { code: 'not_found' }])
    expect((await dispatched(id)).map(({ called_back }) => called_back)).toEqual([null])
    await callBack(url, { state: 'done' })
    expect((await tenant.settled(id)).status).toBe('executed')
  })

  it.each<[string, unknown, number]>([
    ['says that it goes on', { state: 'running' }, 200],
    ['says nothing', {}, 200],
    ['is no object', ['done'], 400],
    ['has a name twice', '{"state":"done","state":"failed"}', 400],
    ['is cut', '{"state":"done"', 400],
    ['is too large', JSON.stringify({ state: 'done', more: 'x'.repeat(300_000) }), 413],
  ])('that %s changes nothing', async (_name, body, status) => {
    const id = await submit()
    const url = await told()
    await isAccepted(id)
    expect((await callBack(url, body)).status).toBe(status)
    expect(await dispatched(id)).toMatchObject([{ called_back: null }])
    expect(await statusOf(id)).toBe('executing')
    await callBack(url, { state: 'done' })
    expect((await tenant.settled(id)).status).toBe('executed')
  })

  it('that comes after the deadline settles what was unknown, and a refusal does not', async () => {
    await register(settings({ idempotency: 'key_honoured', deadline_ms: 1_000 }))
    const id = await submit()
    const url = await told()
    expect(await tenant.settled(id)).toMatchObject({
      status: 'outcome_unknown',
      execution: { error: { code: 'completion_deadline' } },
    })
    const before = await counted('late')
    expect((await callBack(url, { state: 'failed' })).status).toBe(200)
    expect(await statusOf(id)).toBe('outcome_unknown')
    expect((await callBack(url, { state: 'done', secret: 'token-of-the-crm' })).status).toBe(200)
    expect((await counted('late')) - before).toBe(2)
    const { status, events } = await tenant.trace(id)
    expect(status).toBe('executed')
    expect(events.at(-1)).toMatchObject({
      kind: 'reconciliation',
      body: { source: 'late_result', result: { detail: { called_back: 'done', attempt: 1 } } },
    })
    expect(JSON.stringify(events)).not.toContain('token-of-the-crm')
    expect(sent()).toHaveLength(1)
  })

  it('that is lost is made up for by a poll', async () => {
    await register(settings({ polled: true }))
    const id = await submit()
    await isAccepted(id)
    poll = response => void response.end('{"state":"done"}')
    expect((await tenant.settled(id)).events.at(-1)).toMatchObject({
      body: { outcome: 'ok', rule: 'completion.poll.done_when' },
    })
  })

  it('ends what polls say goes on', async () => {
    await register(settings({ polled: true }))
    const id = await submit()
    const url = await told()
    await isAccepted(id)
    await callBack(url, { state: 'done' })
    expect((await tenant.settled(id)).events.at(-1)).toMatchObject({
      body: { outcome: 'ok', rule: 'completion.callback.done_when' },
    })
  })

  it('is judged by the request that was made, not by what is registered since', async () => {
    const id = await submit()
    const url = await told()
    await isAccepted(id)
    const changed = settings({ deadline_ms: 1_500 })
    await register({ ...changed, base_url: `${downstream.url}/other` })
    await callBack(url, { state: 'done' })
    expect(await dispatched(id)).toMatchObject([{ called_back: '{"state":"done"}' }])
    expect(await statusOf(id)).toBe('executing')
    await register(settings())
    expect((await tenant.settled(id)).status).toBe('executed')
  })
})

type Answer = readonly [status: number, headers?: Record<string, string>] | 'nothing'

/** Answers with that once it has called back what is said. */
function callingBack(state: 'done' | 'failed', answer: Answer): typeof accept {
  return (seen, response) => {
    const { notify } = JSON.parse(seen.body) as { notify: string }
    void callBack(notify, { state }).then(() =>
      answer === 'nothing' ? response.destroy() : response.writeHead(...answer).end('{}'),
    )
  }
}

describe('a callback before the call is answered', () => {
  const contradiction = { status: 'outcome_unknown', execution: { error: { code: 'conflicting_evidence' } } }
  const done = { status: 'executed' }
  const failed = { status: 'execution_failed' }
  const busy = { 'retry-after': '0' }

  it.each<['done' | 'failed', string, Answer, object]>([
    ['done', '429 with Retry-After', [429, busy], contradiction],
    ['done', '429', [429], contradiction],
    ['done', '503 with Retry-After', [503, busy], contradiction],
    ['done', '400', [400], contradiction],
    ['done', '404', [404], contradiction],
    ['done', '500', [500], done],
    ['done', 'no answer', 'nothing', done],
    ['done', '202', [202], done],
    ['failed', '429 with Retry-After', [429, busy], failed],
    ['failed', '503 with Retry-After', [503, busy], failed],
    ['failed', '400', [400], failed],
    ['failed', '500', [500], failed],
    ['failed', 'no answer', 'nothing', failed],
    ['failed', '202', [202], failed],
  ])('that says %s counts beside %s, and nothing is sent again', async (state, _name, answer, expected) => {
    accept = callingBack(state, answer)
    const id = await submit()
    expect(await tenant.settled(id)).toMatchObject(expected)
    expect(sent()).toHaveLength(1)
    const [job] = await jobsOf(id)
    expect(job).toEqual({ pending: false, needs_operator: expected === contradiction })
  })

  it('of an earlier attempt ends what would be tried again', async () => {
    accept = (_seen, response) => void response.writeHead(429, { 'retry-after': '2' }).end('{}')
    const id = await submit()
    const url = await told()
    await expect.poll(() => statusOf(id)).toBe('execution_pending')
    expect((await callBack(url, { state: 'done' })).status).toBe(200)
    await expect.poll(() => statusOf(id), { timeout: 20_000 }).toBe('executed')
    expect(sent()).toHaveLength(1)
  })

  it('that comes while a poll is answered otherwise is read first', async () => {
    await register(settings({ polled: true }))
    const id = await submit()
    const url = await told()
    await isAccepted(id)
    poll = response => {
      poll = other => void other.end('{"state":"failed"}')
      void callBack(url, { state: 'done' }).then(() => response.end('{"state":"failed"}'))
    }
    expect((await tenant.settled(id)).events.at(-1)).toMatchObject({
      body: { outcome: 'ok', rule: 'completion.callback.done_when' },
    })
  })
})

async function jobsOf(id: string): Promise<{ pending: boolean; needs_operator: boolean }[]> {
  return service.context.store.read([tenant.id], reader =>
    reader.query(
      '',
      `select state = 'pending' as pending, needs_operator from execution_jobs where action_id = '${id}'`,
      [],
    ),
  )
}

describe('an accepted operation', () => {
  it('is kept by who holds the lease, and by nobody else', async () => {
    let answer: ServerResponse | undefined
    accept = (_seen, response) => {
      answer = response
    }
    const action_id = await submit()
    await told()
    const dispatchedNow = { url: null, interval_ms: 1_000, deadline_ms: 1_000 }
    const kept = await service.context.store.write([tenant.id], writer =>
      keepDispatched(writer, { action_id, token: 0, dispatched: dispatchedNow }),
    )
    expect(kept).toBeNull()
    answer?.writeHead(202).end()
    await isAccepted(action_id)
  })
})

describe('an accepted operation that is due', () => {
  it('is no lease that ran out', async () => {
    const action_id = await submit()
    await isAccepted(action_id)
    const expired = await service.context.store.write('all', async writer => {
      const due = `update execution_jobs set lease_expires_at = now() - interval '1 minute' where action_id = $1`
      await writer.query('', due, [action_id])
      return expiredLeases(asReader(writer), 100)
    })
    expect(expired).not.toContainEqual({ action_id })
  })
})

/** What is written and not committed yet is seen here alone. */
const asReader = (writer: Writer): Reader => ({ kind: 'reader', query: writer.query })

describe('an address for callbacks', () => {
  it('is hidden where the downstream repeats it', async () => {
    accept = (seen, response) => void response.writeHead(422).end(seen.body)
    const trace = await tenant.settled(await submit())
    const proof = (await told()).split('.').at(-1) ?? ''
    expect(trace.status).toBe('execution_failed')
    expect(JSON.stringify(trace)).toContain('/v1/callbacks/')
    expect(JSON.stringify(trace)).not.toContain(proof)
    expect(service.logged()).not.toContain(proof)
  })

  it('is not known to a service without a key: nothing is sent', async () => {
    const { context } = service
    const key = context.webhookKey
    context.webhookKey = null
    try {
      expect(await tenant.settled(await submit())).toMatchObject({
        status: 'execution_failed',
        execution: { error: { code: 'request_not_renderable' } },
      })
      expect(sent()).toEqual([])
    } finally {
      context.webhookKey = key
    }
  })

  it.each<[string, object, string]>([
    ['that no request tells', { headers: {}, body: {} }, 'callback_untold'],
    ['that nobody waits for', { completion: undefined }, 'callback_untold'],
    ['judged by a status', { completion: { callback: { done_when: { status: [200] } } } }, 'not_of_the_body'],
    [
      'judged by a header',
      { completion: { callback: { done_when: { header: 'x-state', equals: 'done' } } } },
      'not_of_the_body',
    ],
    ['with neither way', { completion: { deadline_ms: 5_000 } }, 'no_completion'],
  ])('%s is refused when it is registered', async (_name, more, code) => {
    const given = settings()
    const operation = { ...given.operations.export, ...more }
    const json = {
      actuators: [{ name: 'crm', kind: 'http', settings: { ...given, operations: { export: operation } } }],
    }
    const path = `/v1/tenants/${tenant.id}/actuators`
    const put = await service.call<{ errors: { code: string }[] }>('PUT', path, {
      admin: service.admin,
      json,
    })
    expect(put.status).toBe(400)
    expect(put.body.errors.map(issue => issue.code)).toContain(code)
  })
})
