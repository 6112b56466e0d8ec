import type { ServerResponse } from 'node:http'
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest'
import type { FailpointName } from '../../shared/runtime/failpoint.ts'
import { type Downstream, startDownstream } from '../support/fixtures/http-downstream.ts'
import {
  type ApiProcess,
  type Platform,
  startPlatform,
  tenant,
  type WorkerProcess,
} from '../support/platform/platform.ts'
import { eventually } from '../support/platform/platform-waiting.ts'

/**
 * Every step of an operation that a downstream accepted and ends later, failed in every manner, for each way in which its end
 * is recorded: nothing is sent twice, no end is guessed, and a callback that was answered is not lost.
 */
/** Half of it is beyond the pauses of a busy machine. */
const leaseMs = 1_200
const failures = ['kill', 'throw', `stall=${leaseMs * 2}`] as const
type Failure = (typeof failures)[number]
/** How its end is recorded: by a poll, by a callback, or since its time is over. */
const ways = ['polled', 'called back', 'deadline'] as const
type Way = (typeof ways)[number]

const workerSteps: Partial<Record<FailpointName, readonly Failure[]>> = {
  call_answered: ['kill'],
  operation_written: failures,
  operation_kept: ['kill'],
  poll_taken: failures,
  change_asked: ['kill'],
  change_written: failures,
  change_committed: failures,
  change_rung: ['kill'],
}
const apiSteps: Partial<Record<FailpointName, readonly Failure[]>> = {
  callback_written: failures,
  callback_kept: failures,
}

interface Cell {
  step: string
  failure: Failure
  way: Way
}
const cellsOf = (steps: typeof workerSteps, theirWays: readonly Way[]): Cell[] =>
  Object.entries(steps).flatMap(([step, each]) =>
    each.flatMap(failure => theirWays.map(way => ({ step, failure, way }))),
  )

const ends = { done_when: { path: 'state', equals: 'done' } }
const completions: Record<Way, object> = {
  polled: { poll: { ...ends, interval_ms: 100 }, deadline_ms: 60_000 },
  'called back': { callback: ends, deadline_ms: 60_000 },
  deadline: { poll: { ...ends, interval_ms: 100 }, deadline_ms: 1_000 },
}

let platform: Platform
let steady: ApiProcess
let downstream: Downstream
/** What the downstream does once it has accepted an operation of a proposal. */
let accepted: (notify: string) => void = () => undefined
let count = 0
const running: (ApiProcess | WorkerProcess)[] = []

const isPost = ({ method }: { method: string }): boolean => method === 'POST'

beforeAll(async () => {
  downstream = await startDownstream((seen, response) => {
    if (isPost(seen)) accept(seen.url, String(seen.headers['x-notify']), response)
    else response.end(JSON.stringify({ state: seen.url.startsWith('/polled') ? 'done' : 'running' }))
  })
  platform = await startPlatform(inject('redisUrl'), {
    SERVICE_LEASE_MS: String(leaseMs),
    SERVICE_SWEEP_MS: '100',
    SERVICE_EXECUTION_MS_MAX: '2000',
    // What is unknown is left alone: nothing of an earlier cell meets the step of a later one.
    SERVICE_RECONCILE_MS_MIN: '600000',
    SERVICE_RECONCILE_MS_MAX: '3600000',
    SERVICE_EGRESS_ALLOW: '127.0.0.1',
    SERVICE_WEBHOOK_KEY: Buffer.alloc(32, 7).toString('base64'),
  })
  steady = await platform.startApi()
  const actuators = ways.map((way, place) => ({
    name: systems[place],
    kind: 'http',
    settings: { base_url: downstream.url, operations: { write: operationOf(way) } },
  }))
  const response = await fetch(`${steady.url}/v1/tenants/${tenant}/actuators`, {
    method: 'PUT',
    headers: { 'x-service-admin-key': platform.keys.admin, 'content-type': 'application/json' },
    body: JSON.stringify({ actuators }),
  })
  expect(response.status, await response.text()).toBe(200)
}, 120_000)

/** Nothing of one cell meets the next one. */
afterEach(async () => {
  for (const { process } of running.splice(0)) {
    process.signal('SIGKILL')
    await process.exited
  }
})

afterAll(async () => {
  await platform.stop()
  await downstream.close()
})

/** Systems that the policy of the platform knows, one for each way. */
const systems = ['ledger_keyed', 'ledger_plain', 'ledger_looked'] as const
const systemOf = (way: Way): (typeof systems)[number] => systems[ways.indexOf(way)] ?? systems[0]

function operationOf(way: Way): object {
  return {
    method: 'POST',
    path: `/${way.replace(' ', '-')}/{parameters.name}`,
    body: {},
    ...(way === 'called back' ? { headers: { 'X-Notify': '{callback_url}' } } : {}),
    completion: completions[way],
  }
}

function accept(url: string, notify: string, response: ServerResponse): void {
  response.writeHead(202, { location: url }).end(() => accepted(notify))
}

describe('a worker that fails', () => {
  it.each(cellsOf(workerSteps, ways))(
    'at $step: $failure, $way',
    async cell => {
      accepted = notify => void (cell.way === 'called back' && callUntilTaken([notify]))
      const worker = await startWorker(steady, { SERVICE_FAILPOINT: `${cell.step}:${cell.failure}` })
      const proposed = await propose(cell)
      await failed(cell, worker)
      await startWorker(steady)
      await settles(cell, proposed)
    },
    60_000,
  )
})

describe('an API that fails', () => {
  it.each(cellsOf(apiSteps, ['called back']))(
    'at $step: $failure',
    async cell => {
      const api = await platform.startApi({ SERVICE_FAILPOINT: `${cell.step}:${cell.failure}` })
      const taken = new Promise<void>(resolve => {
        accepted = notify => {
          const urls = [notify, notify.replace(api.url, steady.url)]
          void callUntilTaken(urls).then(resolve)
        }
      })
      running.push(api)
      await startWorker(api)
      const proposed = await propose(cell)
      await failed(cell, api)
      await taken
      await settles(cell, proposed)
    },
    60_000,
  )
})

async function startWorker(api: ApiProcess, more: Record<string, string> = {}): Promise<WorkerProcess> {
  const worker = await platform.startWorker({ SERVICE_BASE_URL: api.url, ...more })
  running.push(worker)
  return worker
}

interface Proposed {
  id: string
  name: string
}

async function propose({ step, way }: Cell): Promise<Proposed> {
  count += 1
  const name = `${step}-${count}`
  const proposal = { proposal_id: name, system: systemOf(way), parameters: { name } }
  const { status, body } = await steady.client.submit(proposal, { prefer: 'wait=0' })
  expect([200, 202]).toContain(status)
  return { id: body.action_id, name }
}

/** As a downstream does that repeats a callback until somebody takes it, at one address after the other. */
async function callUntilTaken(urls: readonly string[]): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    const url = urls[tries % urls.length] ?? ''
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"state":"done"}',
    }).catch(() => null)
    await answer?.arrayBuffer()
    if (answer?.ok) return
  }
}

/** A process that is killed may not have written its last line any more. */
async function failed({ failure }: Cell, { process }: ApiProcess | WorkerProcess): Promise<void> {
  if (failure === 'kill') expect(await process.exited).toMatchObject({ signal: 'SIGKILL' })
  else await process.logged('failpoint')
}

/** A claim that came too late to call is made again: it ends nothing. */
function isEnd(event: { kind: string; body: object | null }): boolean {
  return event.kind === 'execution' && !JSON.stringify(event.body).includes('"claimed_too_late"')
}

async function settles({ step, way, failure }: Cell, { id, name }: Proposed): Promise<void> {
  const trace = await eventually(`${id} is settled`, async () => {
    const { body } = await steady.client.trace(id)
    return ['executed', 'execution_failed', 'outcome_unknown'].includes(body.status) ? body : null
  })
  // Where nobody kept that it was accepted, nobody knows where to ask.
  const isForgotten = step === 'call_answered' || (step === 'operation_written' && failure === 'kill')
  const isKnown = way === 'called back' || (way === 'polled' && !isForgotten)
  expect(trace.status).toBe(isKnown ? 'executed' : 'outcome_unknown')
  if (way === 'deadline' && !isForgotten) expect(JSON.stringify(trace)).toContain('completion_deadline')
  expect(trace.events.filter(isEnd)).toHaveLength(1)
  expect(downstream.seen.filter(seen => isPost(seen) && seen.url.endsWith(`/${name}`))).toHaveLength(1)
}
