import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest'
import { type Downstream, startDownstream } from '../support/fixtures/http-downstream.ts'
import {
  type ApiProcess,
  type Platform,
  startPlatform,
  tenant,
  type WorkerProcess,
} from '../support/platform/platform.ts'
import { eventually } from '../support/platform/platform-waiting.ts'

/** A process is killed while an operation goes on that a downstream accepted: another one ends it, and nothing is sent twice. */
let platform: Platform
let api: ApiProcess
let downstream: Downstream
let accept: (notify: string, response: ServerResponse) => void
let state: 'running' | 'done'

const ends = { done_when: { path: 'state', equals: 'done' } }
const isPost = ({ method }: { method: string }): boolean => method === 'POST'

beforeAll(async () => {
  downstream = await startDownstream((seen, response) => {
    if (isPost(seen)) accept(String(seen.headers['x-notify']), response)
    else response.end(JSON.stringify({ state }))
  })
  platform = await startPlatform(inject('redisUrl'), {
    SERVICE_LEASE_MS: '2000',
    SERVICE_SWEEP_MS: '100',
    SERVICE_EXECUTION_MS_MAX: '1500',
    SERVICE_EGRESS_ALLOW: '127.0.0.1',
    SERVICE_WEBHOOK_KEY: Buffer.alloc(32, 7).toString('base64'),
  })
  api = await platform.startApi()
  const write = {
    method: 'POST',
    path: '/exports',
    headers: { 'X-Notify': '{callback_url}' },
    completion: { poll: { ...ends, interval_ms: 100 }, callback: ends, deadline_ms: 60_000 },
  }
  const settings = { base_url: downstream.url, operations: { write } }
  const response = await fetch(`${api.url}/v1/tenants/${tenant}/actuators`, {
    method: 'PUT',
    headers: { 'x-service-admin-key': platform.keys.admin, 'content-type': 'application/json' },
    body: JSON.stringify({ actuators: [{ name: 'mock_crm', kind: 'http', settings }] }),
  })
  expect(response.status, await response.text()).toBe(200)
}, 120_000)

beforeEach(() => {
  downstream.seen.length = 0
  state = 'running'
  accept = (_notify, response) => void response.writeHead(202, { location: '/exports/1' }).end()
})

afterAll(async () => {
  await platform.stop()
  await downstream.close()
})

describe('a worker that is killed', () => {
  it.each(['operation_kept', 'poll_taken'])(
    'at %s leaves an operation that another asks about',
    async step => {
      const doomed = await startWorker({ SERVICE_FAILPOINT: `${step}:kill` })
      const { body } = await api.client.submit({ proposal_id: step, system: 'mock_crm' })
      expect(await doomed.process.exited).toMatchObject({ signal: 'SIGKILL' })
      state = 'done'
      await executedBy(body.action_id)
    },
    60_000,
  )

  it('before it kept the answer leaves an attempt that a callback ends', async () => {
    accept = (notify, response) => {
      void callBack(notify).then(() => response.writeHead(202, { location: '/exports/1' }).end())
    }
    const doomed = await startWorker({ SERVICE_FAILPOINT: 'call_answered:kill' })
    const { body } = await api.client.submit({ proposal_id: 'early', system: 'mock_crm' })
    expect(await doomed.process.exited).toMatchObject({ signal: 'SIGKILL' })
    await executedBy(body.action_id)
  }, 60_000)
})

describe('an API that is killed', () => {
  it('after it kept a callback leaves it to a worker, and another API takes no more', async () => {
    const doomed = await platform.startApi({ SERVICE_FAILPOINT: 'callback_kept:kill' })
    const worker = await startWorker({ SERVICE_BASE_URL: doomed.url })
    let notified = ''
    accept = (notify, response) => {
      notified = notify
      response.writeHead(202, { location: '/exports/1' }).end()
    }
    const { body } = await api.client.submit({ proposal_id: 'late', system: 'mock_crm' })
    await eventually('the request is told where to call', async () => (notified === '' ? null : true))
    await expect(callBack(notified)).rejects.toThrow()
    expect(await doomed.process.exited).toMatchObject({ signal: 'SIGKILL' })
    expect((await callBack(notified.replace(doomed.url, api.url))).status).toBe(200)
    await executedBy(body.action_id, worker)
  }, 60_000)
})

const startWorker = (more: Record<string, string> = {}) =>
  platform.startWorker({ SERVICE_BASE_URL: api.url, ...more })

const callBack = (url: string): Promise<Response> =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"state":"done"}',
  })

/** Another worker ends it, though nothing was sent again. */
async function executedBy(id: string, running?: WorkerProcess): Promise<void> {
  const { process } = running ?? (await startWorker())
  const trace = await eventually(`${id} is executed`, async () => {
    const { body } = await api.client.trace(id)
    return body.status === 'executing' ? null : body
  })
  expect(trace).toMatchObject({ status: 'executed' })
  expect(downstream.seen.filter(isPost)).toHaveLength(1)
  process.signal('SIGKILL')
  await process.exited
}
