import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, beforeEach, expect, inject, it } from 'vitest'
import { type Platform, startPlatform, tenant } from '../support/platform/platform.ts'
import { createClient } from '../support/platform/platform-client.ts'
import type { PlatformProcess } from '../support/platform/platform-process.ts'
import { findCaddy, startBalancer } from '../support/servers/caddy.ts'
import { type NameServer, startNameServer } from '../support/servers/name-server.ts'
import { freePort } from '../support/servers/redis-program.ts'

/** Longer than the balancer keeps a connection, as in the composition. */
const drainMs = 4_000
const agents = 8
/** Between two requests of an agent, so that the machine has time for starts. */
const thinkMs = 50
const askedMin = 400
/** That Caddy asks the name server while there is no API: more than the agents ask before each waits. */
const questionsMin = 20

const caddy = await findCaddy()
const ended: (() => unknown)[] = []
let platform: Platform
let names: NameServer
beforeEach(async ({ onTestFailed, skip }) => {
  skip(caddy === null, 'no package of Caddy')
  platform = await startPlatform(inject('redisUrl'), { SERVICE_DRAIN_MS: String(drainMs) })
  onTestFailed(() => void process.stderr.write(platform.output()))
  names = await startNameServer()
  ended.push(platform.stop, names.close)
})
afterEach(async () => {
  for (const end of ended.splice(0).reverse()) await end()
})

interface Seen {
  asked: number
  submitted: number
  /** Proposals that were not taken and that the agent sent again. */
  repeated: number
  failed: string[]
  slowestMs: number
}

it('the deployed balancer loses nothing, even where the only API is replaced', async () => {
  const first = await platform.startApi()
  const port = Number(new URL(first.url).port)
  const own = await freePort()
  names.set(['127.0.0.1'])
  const balancer = await startBalancer(caddy?.program ?? '', { own, api: port, names: names.port })
  ended.push(balancer.stop)
  const seen: Seen = { asked: 0, submitted: 0, repeated: 0, failed: [], slowestMs: 0 }
  const load = startLoad(`http://127.0.0.1:${own}`, seen)
  ended.push(load.halt)

  const second = await startAt('127.0.0.2', port)
  names.set(['127.0.0.1', '127.0.0.2'])
  const third = await startAt('127.0.0.3', port)
  names.set(['127.0.0.1', '127.0.0.2', '127.0.0.3'])
  await end(first.process)
  names.set(['127.0.0.2', '127.0.0.3'])
  expect(seen.failed, balancer.refusals()).toEqual([])

  await end(second)
  names.set(['127.0.0.3'])
  await end(third)
  names.set([])
  for (let n = 0; n < questionsMin; n += 1) await names.asked()
  const before = seen.asked
  names.set(['127.0.0.4'])
  await startAt('127.0.0.4', port)
  await load.stop()
  expect(seen.failed, balancer.refusals()).toEqual([])
  expect(seen.asked).toBeGreaterThan(before)
  if (caddy?.keepsBodies) expect(seen.repeated, balancer.refusals()).toBe(0)
  const [row] = await platform.sql`select count(*)::int as count from action_gate.actions`
  expect(row?.count).toBe(seen.submitted)
  process.stderr.write(
    `balancer: ${seen.asked} requests, ${seen.repeated} proposals sent again, the slowest after ${Math.round(seen.slowestMs)} ms\n`,
  )
}, 180_000)

async function startAt(host: string, port: number): Promise<PlatformProcess> {
  const api = platform.launchApi(port, {}, host)
  await api.logged('listening')
  return api
}

async function end(api: PlatformProcess): Promise<void> {
  api.signal('SIGTERM')
  expect(await api.exited).toEqual({ code: 0, signal: null })
}

/** Agents that propose, again where no API answered, and read, until they are told to stop and have asked enough. */
function startLoad(url: string, seen: Seen): { stop(): Promise<void>; halt(): void } {
  const client = createClient(url, tenant, platform.keys)
  const isAnswered = async (ask: () => Promise<{ status: number; ms: number }>) => {
    seen.asked += 1
    const { status, ms } = await ask().catch(() => ({ status: 0, ms: 0 }))
    seen.slowestMs = Math.max(seen.slowestMs, ms)
    return status === 200 || status === 202
  }
  let on = true
  let halted = false
  const agent = async (name: number): Promise<void> => {
    for (let n = 0; !halted && (on || seen.asked < askedMin); n += 1) {
      const proposal = { proposal_id: `p-${name}-${n}`, system: 'mock_crm' }
      seen.submitted += 1
      while (!halted && !(await isAnswered(() => client.submit(proposal, { prefer: 'wait=0' })))) {
        seen.repeated += 1
        await pause(thinkMs)
      }
      if (!(await isAnswered(client.list))) seen.failed.push(`list ${name}-${n}`)
      await pause(thinkMs)
    }
  }
  const all = Promise.all(Array.from({ length: agents }, (_, name) => agent(name)))
  return {
    async stop() {
      on = false
      await all
    },
    halt() {
      halted = true
    },
  }
}
