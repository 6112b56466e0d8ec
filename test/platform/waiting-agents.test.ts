import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, inject, it } from 'vitest'
import type { JsonObject } from '../../shared/contract/base/json.ts'
import { rpc } from '../service/mcp/mcp-client.ts'
import { type ApiProcess, type Platform, startPlatform } from '../support/platform/platform.ts'
import { eventually, forEachOf } from '../support/platform/platform-waiting.ts'
import { repositoryRoot } from '../support/repository-root.ts'
import { readScrape } from '../support/service/scrape.ts'

const agents = 1_000
const bytesMax = 50 * 2 ** 20
/** All that wait share a reading, at most five times a second; the process does some things beside. */
const transactionsPerSecondMax = 20

const tellMemory = join(repositoryRoot, 'dist/test/support/fixtures/tell-memory.js')

let platform: Platform
let api: ApiProcess

beforeAll(async () => {
  platform = await startPlatform(inject('redisUrl'), {
    SERVICE_CONNECTIONS_MAX: '4000',
    SERVICE_ADDRESS_CONNECTIONS_MAX: '4000',
  })
  api = await platform.startApi({ NODE_OPTIONS: `--import=file://${tellMemory}` })
}, 60_000)
afterAll(() => platform.stop())
beforeEach(({ onTestFailed }) => onTestFailed(() => void process.stderr.write(platform.output())))

it('1,000 agents that wait take under 50 MB, and share their look at the database', async () => {
  const held = await forEachOf(numbers(agents), 16, hold)
  // What serves a request is loaded and compiled before anybody is counted.
  await Promise.all(
    held.slice(0, 100).map(action_id => rpc(agent(), ...tool('action_status', { action_id }))),
  )
  const before = await heldBytes()
  const waits = held.map(action_id => rpc(agent(), ...tool('action_wait', { action_id })))
  await eventually('all of them wait', async () => ((await waiting()) === agents ? true : null))
  const grown = (await heldBytes()) - before
  const perSecond = await transactionsPerSecond()
  await forEachOf(held, 16, action_id => api.client.reject(action_id))
  for (const { body } of await Promise.all(waits))
    expect(body.result).toMatchObject({ isError: false, structuredContent: { status: 'denied' } })
  expect(perSecond).toBeLessThan(transactionsPerSecondMax)
  expect(grown).toBeLessThan(bytesMax)
}, 120_000)

const agent = () => ({ url: api.url, key: platform.keys.agent })

function tool(name: string, args: Record<string, string>): [method: string, params: JsonObject] {
  return ['tools/call', { name, arguments: args }]
}

function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, at) => at)
}

async function hold(at: number): Promise<string> {
  const asked = { proposal_id: `waits-${at}`, system: 'mock_crm', operation: 'write', risk: 'high' } as const
  const { body } = await api.client.submit(asked, { prefer: 'wait=0' })
  expect(body.action_status).toBe('pending_approval')
  return body.action_id
}

async function waiting(): Promise<number | undefined> {
  const answer = await fetch(`${api.url}/metrics`)
  return readScrape(await answer.text()).value('action_gate_waiting_requests')
}

let looks = 0

/** What the process holds once its garbage is collected. */
async function heldBytes(): Promise<number> {
  looks += 1
  api.process.signal('SIGUSR2')
  return Number(await api.process.printed(new RegExp(`^memory ${looks}: (\\d+)$`, 'm')))
}

/** As PostgreSQL counts them, over three seconds of its own; what a connection did before it idles up to ten seconds later. */
async function transactionsPerSecond(): Promise<number> {
  await platform.sql`select pg_sleep(11)`
  const first = await transactions()
  await platform.sql`select pg_sleep(3)`
  return ((await transactions()) - first) / 3
}

async function transactions(): Promise<number> {
  const [row] = await platform.sql<{ count: string }[]>`
    select xact_commit + xact_rollback as count from pg_stat_database where datname = current_database()`
  return Number(row?.count)
}
