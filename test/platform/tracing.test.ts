import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { type Downstream, startDownstream } from '../support/fixtures/http-downstream.ts'
import { type OtlpReceiver, startOtlpReceiver } from '../support/fixtures/otlp-receiver.ts'
import {
  type ApiProcess,
  type Platform,
  startPlatform,
  tenant,
  type WorkerProcess,
} from '../support/platform/platform.ts'
import { type Client, createClient } from '../support/service/http.ts'
import { proposal } from '../support/service/tenant.ts'

/** One trace from the caller through the job of another process to the downstream, also over retries and approvals. */
const trace = '4bf92f3577b34da6a3ce929d0e0e4736'
const caller = '00f067aa0ba902b7'
const given = { traceparent: `00-${trace}-${caller}-01` }
const canary = 'canary-of-a-parameter'
let collector: OtlpReceiver
let downstream: Downstream
let platform: Platform
let api: ApiProcess
let worker: WorkerProcess
let client: ReturnType<typeof createClient>
let call: Client
/** Statuses that the downstream answers next; 200 when there is none. */
const statuses: number[] = []

beforeAll(async () => {
  collector = await startOtlpReceiver()
  downstream = await startDownstream((_seen, response) => {
    response.writeHead(statuses.shift() ?? 200, { 'content-type': 'application/json' }).end('{}')
  })
  platform = await startPlatform(inject('redisUrl'), {
    SERVICE_EGRESS_ALLOW: '127.0.0.1',
    SERVICE_RETRY_MS_MIN: '1',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_BSP_SCHEDULE_DELAY: '100',
  })
  api = await platform.startApi()
  worker = await platform.startWorker()
  client = createClient(api.url)
  call = client.call
  const { admin } = platform.keys
  const place = `/v1/tenants/${tenant}`
  const policy = { allowed_systems: ['shop'], approval_required_at: 'high', review_route: 'operations' }
  await call('PUT', `${place}/policy`, { admin, json: policy })
  const operations = { read: { method: 'POST', path: '/refunds', statuses: { busy: [503] } } }
  const shop = { name: 'shop', kind: 'http', settings: { base_url: downstream.url, operations } }
  const put = await call('PUT', `${place}/actuators`, { admin, json: { actuators: [shop] } })
  expect(put.status).toBe(200)
})

afterAll(async () => {
  client.close()
  await platform.stop()
  await downstream.close()
  await collector.close()
})

async function submit(change: Parameters<typeof proposal>[0] = {}, headers: Record<string, string> = given) {
  const json = proposal({ system: 'shop', parameters: { note: canary }, ...change })
  const answer = await call<{ action_id: string }>('POST', '/v1/actions', {
    key: platform.keys.agent,
    json,
    headers,
  })
  return { ...answer.body, proposal_id: json.proposal_id }
}

async function executed(actionId: string): Promise<void> {
  const ask = () =>
    call<{ status: string }>('GET', `/v1/actions/${actionId}?wait=10`, { key: platform.keys.agent })
  await expect.poll(async () => (await ask()).body.status, { timeout: 20_000 }).toBe('executed')
}

/** The spans about an action, as soon as there are so many. */
async function spansOf(actionId: string, count: number) {
  const found = () => collector.spans.filter(span => span.attributes['action_gate.action_id'] === actionId)
  await expect.poll(() => found().length, { timeout: 10_000 }).toBe(count)
  return found()
}

const seenOf = (since: number) =>
  downstream.seen.slice(since).map(({ headers }) => String(headers.traceparent))

describe('the trace of a proposal', () => {
  it('goes on in the worker, at each attempt, and in what the downstream is sent', async () => {
    const before = downstream.seen.length
    statuses.push(503, 503)
    const { action_id } = await submit()
    await executed(action_id)
    const attempts = await spansOf(action_id, 3)
    const sent = seenOf(before)
    expect(sent).toHaveLength(3)
    expect(new Set(sent).size).toBe(3)
    expect(sent).toEqual(attempts.map(({ span_id }) => `00-${trace}-${span_id}-01`))
    const request = collector.spans.find(({ parent_id }) => parent_id === caller)
    expect(request).toMatchObject({
      service: 'action-gate-api',
      trace_id: trace,
      name: 'POST /v1/actions',
      attributes: { 'http.route': '/v1/actions', 'http.response.status_code': '202' },
    })
    for (const attempt of attempts) {
      expect(attempt).toMatchObject({
        service: 'action-gate-worker',
        trace_id: trace,
        parent_id: request?.span_id,
        name: 'execute http',
      })
    }
    expect(attempts.map(({ attributes }) => attributes['action_gate.outcome'])).toEqual([
      'busy',
      'busy',
      'ok',
    ])
  })

  it('stays that of the first request where a proposal is repeated', async () => {
    const { action_id, proposal_id } = await submit({ risk: 'high' })
    const [{ traceparent } = {}] =
      await platform.sql`select traceparent from action_gate.actions where action_id = ${action_id}`
    expect(traceparent).toMatch(new RegExp(`^00-${trace}-[0-9a-f]{16}-01$`))
    const other = { traceparent: `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01` }
    expect((await submit({ risk: 'high', proposal_id }, other)).action_id).toBe(action_id)
    const [after] =
      await platform.sql`select traceparent from action_gate.actions where action_id = ${action_id}`
    expect(after).toEqual({ traceparent })
  })

  it('is kept while a person is asked, whose request is linked to it', async () => {
    const before = downstream.seen.length
    const { action_id } = await submit({ risk: 'high' })
    const approval = '7'.repeat(32)
    const path = `/v1/actions/${action_id}/approve`
    const headers = { traceparent: `00-${approval}-${caller}-01` }
    await call('POST', path, { key: platform.keys.approver, json: {}, headers })
    await executed(action_id)
    const [attempt] = await spansOf(action_id, 1)
    expect(seenOf(before)).toEqual([`00-${trace}-${attempt?.span_id}-01`])
    const find = () =>
      collector.spans.find(({ name, trace_id }) => name.endsWith('/approve') && trace_id === approval)
    await expect.poll(find).toMatchObject({ links: [{ trace_id: trace, span_id: attempt?.parent_id }] })
  })

  it.each([
    ['none is given', {}],
    ['one is given that is not valid', { traceparent: `00-${'0'.repeat(32)}-${caller}-01` }],
    ['two are given', { traceparent: [given.traceparent, given.traceparent] as unknown as string }],
  ])('is a new one where %s', async (_name, headers: Record<string, string>) => {
    const before = downstream.seen.length
    const { action_id } = await submit({}, headers)
    await executed(action_id)
    const [attempt] = await spansOf(action_id, 1)
    expect(seenOf(before)).toEqual([`00-${attempt?.trace_id}-${attempt?.span_id}-01`])
    expect(attempt?.trace_id).toMatch(/^(?!0+$)[0-9a-f]{32}$/)
    expect(attempt?.trace_id).not.toBe(trace)
  })

  it('is in the log lines of both processes', async () => {
    const own = 'a'.repeat(32)
    const { action_id } = await submit({}, { traceparent: `00-${own}-${caller}-01` })
    await executed(action_id)
    const [attempt] = await spansOf(action_id, 1)
    await expect
      .poll(() => worker.process.lines('attempt'))
      .toContainEqual(
        expect.objectContaining({ action_id, trace_id: own, span_id: attempt?.span_id, outcome: 'ok' }),
      )
    await expect
      .poll(() => api.process.lines('request'))
      .toContainEqual(
        expect.objectContaining({ route: '/v1/actions', trace_id: own, span_id: attempt?.parent_id }),
      )
  })

  it('carries no key and no parameter', async () => {
    const told = JSON.stringify(collector.spans)
    expect(collector.spans.length).toBeGreaterThan(10)
    const { agent, approver, admin } = platform.keys
    for (const secret of [canary, ...[agent, approver, admin].map(key => key.split('.')[1] ?? '?')]) {
      expect(told).not.toContain(secret)
    }
  })
})

it('a process that ends sends its last spans, and waits for no absent collector', async () => {
  const quiet = { OTEL_BSP_SCHEDULE_DELAY: '60000' }
  const sending = await platform.startApi(quiet)
  const lost = await platform.startApi({ ...quiet, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' })
  const own = 'b'.repeat(32)
  for (const { url } of [sending, lost]) {
    await fetch(`${url}/v1/ready`, { headers: { traceparent: `00-${own}-${caller}-01` } })
  }
  for (const { process } of [sending, lost]) {
    process.signal('SIGTERM')
    expect(await process.exited).toEqual({ code: 0, signal: null })
  }
  expect(collector.spans.filter(({ trace_id }) => trace_id === own)).toMatchObject([
    { name: 'GET /v1/ready' },
  ])
  expect(await lost.process.logged('spans not sent')).toHaveLength(1)
})
