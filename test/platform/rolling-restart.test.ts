import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, beforeEach, expect, inject, it } from 'vitest'
import { type Balanced, balance } from '../support/fixtures/balance.ts'
import {
  type ApiProcess,
  type Platform,
  startPlatform,
  type WorkerProcess,
} from '../support/platform/platform.ts'
import { eventually } from '../support/platform/platform-waiting.ts'

const drainMs = 1_500
const agents = 4
/** Between two proposals of an agent: enough load to meet every moment of a restart, little enough to start beside. */
const thinkMs = 60

let platform: Platform
beforeEach(async ({ onTestFailed }) => {
  platform = await startPlatform(inject('redisUrl'), {
    SERVICE_DRAIN_MS: String(drainMs),
    SERVICE_SHUTDOWN_MS_MAX: '8000',
  })
  onTestFailed(() => void process.stderr.write(platform.output()))
})
afterEach(() => platform.stop())

/** What the clients of one run saw. */
interface Seen {
  asked: number
  failed: string[]
  actions: Map<string, string>
}

it('replacing two APIs and two workers under load fails no request and loses nothing', async () => {
  const apis: ApiProcess[] = [await platform.startApi(), await platform.startApi()]
  const workers: WorkerProcess[] = [await platform.startWorker(), await platform.startWorker()]
  const balanced = balance(() => apis.map(({ url }) => url))
  const seen: Seen = { asked: 0, failed: [], actions: new Map() }
  const load = startLoad(balanced, seen)
  const rounds: { what: string; ms: number; asked: number }[] = []
  for (const n of [0, 1]) {
    rounds.push(await measured('api', seen, () => replaceApi(apis, n)))
    rounds.push(await measured('worker', seen, () => replaceWorker(workers, n)))
  }
  await load.stop()
  balanced.close()

  expect(seen.failed).toEqual([])
  expect(balanced.retried(), 'nothing was sent to a process that had stopped listening').toBe(0)
  expect(Math.min(...rounds.map(({ asked }) => asked))).toBeGreaterThan(0)
  await eventually('every action is executed', async () => ((await unsettled()) === 0 ? true : null))
  const calls = platform.ledger().map(({ action_id }) => action_id)
  expect(new Set(calls).size).toBe(calls.length)
  expect(calls.sort()).toEqual([...seen.actions.values()].sort())
  const attempts = await platform.sql`select 1 from action_gate.execution_jobs where attempt <> 1`
  expect(attempts.length).toBe(0)
  process.stderr.write(
    `rolling restart: ${seen.asked} requests, ${seen.actions.size} actions, ${balanced.retried()} connections refused and tried elsewhere; ` +
      `${rounds.map(({ what, ms }) => `${what} ${Math.round(ms)} ms`).join(', ')}\n`,
  )
}, 240_000)

it('after SIGTERM readiness says draining first, and all requests are answered', async () => {
  const api = await platform.startApi()
  const { body } = await api.client.submit({ proposal_id: 'held', system: 'ledger_plain', risk: 'high' })
  const headers = { authorization: `Bearer ${platform.keys.agent}` }
  const waiting = fetch(`${api.url}/v1/actions/${body.action_id}?wait=30`, { headers })
  const begun = performance.now()
  api.process.signal('SIGTERM')
  const draining = await eventually('it says so', async () => {
    const answer = await api.client.ready()
    return answer.status === 503 ? answer.body : null
  })
  expect(draining).toMatchObject({ status: 'draining', checks: { database: 'ok', queue: 'ok' } })
  const late = await fetch(`${api.url}/v1/actions`, { headers })
  expect([late.status, late.headers.get('connection')]).toEqual([200, 'close'])
  const answer = await waiting
  expect([answer.status, ((await answer.json()) as { status: string }).status]).toEqual([
    200,
    'pending_approval',
  ])
  expect(await api.process.exited).toEqual({ code: 0, signal: null })
  const ms = performance.now() - begun
  expect(ms).toBeGreaterThan(drainMs)
  expect(ms).toBeLessThan(drainMs + 8_000)
}, 60_000)

it('a worker that was told to end says draining, and ends the call that is under way', async () => {
  const api = await platform.startApi()
  const worker = await platform.startWorker()
  const parameters = { until: 'hold' }
  const { body } = await api.client.submit({ proposal_id: 'slow', system: 'ledger_plain', parameters })
  await eventually('the call is under way', () => (platform.ledger().length === 1 ? true : null))
  worker.process.signal('SIGTERM')
  await eventually('it says so', async () => {
    const answer = await fetch(`${worker.url}/ready`)
    return answer.status === 503 && (await answer.text()).includes('draining') ? true : null
  })
  await platform.release('hold')
  expect(await worker.process.exited).toEqual({ code: 0, signal: null })
  expect((await api.client.trace(body.action_id)).body.status).toBe('executed')
}, 60_000)

/** As deployments do: the new one is there first; the old one is told to end, and is waited for. */
async function replaceApi(apis: ApiProcess[], n: number): Promise<void> {
  const old = apis[n]
  apis[n] = await platform.startApi()
  if (old) apis.push(old)
  old?.process.signal('SIGTERM')
  expect(await old?.process.exited).toEqual({ code: 0, signal: null })
  apis.pop()
}

async function replaceWorker(workers: WorkerProcess[], n: number): Promise<void> {
  const old = workers[n]
  old?.process.signal('SIGTERM')
  expect(await old?.process.exited).toEqual({ code: 0, signal: null })
  workers[n] = await platform.startWorker()
}

async function measured(what: string, seen: Seen, work: () => Promise<void>) {
  const [begun, asked] = [performance.now(), seen.asked]
  await work()
  return { what, ms: performance.now() - begun, asked: seen.asked - asked }
}

/** Agents that propose and then wait for the end, one after another, until they are told to stop. */
function startLoad(balanced: Balanced, seen: Seen): { stop(): Promise<void> } {
  let on = true
  const agent = async (name: number): Promise<void> => {
    for (let n = 0; on; n += 1) {
      await life(balanced, seen, `p-${name}-${n}`)
      await pause(thinkMs)
    }
  }
  const all = Promise.all(Array.from({ length: agents }, (_, name) => agent(name)))
  return {
    async stop() {
      on = false
      await all
    },
  }
}

async function life(balanced: Balanced, seen: Seen, proposal_id: string): Promise<void> {
  const proposal = {
    proposal_id,
    actor: { agent_id: 'agent-under-test' },
    summary: 'Write it down',
    action: { target_system: 'ledger_plain', operation: 'write', parameters: {} },
    risk: { level: 'low' },
  }
  const headers = { authorization: `Bearer ${platform.keys.agent}` }
  const ask = async (method: string, path: string, json?: object) => {
    seen.asked += 1
    const answer = await balanced.ask({ method, path, headers, ...(json ? { json } : {}) })
    if (answer.status !== 200 && answer.status !== 202)
      seen.failed.push(`${method} ${path}: ${answer.status} ${answer.text}`)
    return answer
  }
  const submitted = await ask('POST', '/v1/actions', proposal)
  if (submitted.status !== 200 && submitted.status !== 202) return
  const { action_id } = JSON.parse(submitted.text) as { action_id: string }
  seen.actions.set(proposal_id, action_id)
  await ask('GET', `/v1/actions/${action_id}?wait=2`)
}

async function unsettled(): Promise<number> {
  const [row] = await platform.sql<{ count: number }[]>`
    select count(*)::int as count from action_gate.actions where status <> 'executed'`
  return row?.count ?? -1
}
