import { gunzipSync } from 'node:zlib'
import { request } from 'undici'
import type { BenchOptions } from './bench.ts'
import { compare, type Target, warmUp } from './compare.ts'
import { measured, note } from './figure.ts'
import { type LoadGenerator, startLoadGenerator } from './setup/load.ts'
import { type Platform, proposalParts, type RunningApi, startPlatform } from './setup/platform.ts'
import { operationName, sampleCatalog, samplePolicy, sampleProposal, sampleSystem } from './setup/sample.ts'

const bench = 'mcp'
const call_floor_is = 'the same operation by POST /v1/actions, which waits for its end too, same process'
const list_floor_is = 'a trace of an action of the same process'

/** What an agent pays that comes by `POST /mcp`: a call, and the list of 1,000 tools. */
export async function benchMcp({ emit, quick }: BenchOptions): Promise<void> {
  const platform = await startPlatform()
  const load = startLoadGenerator()
  try {
    await benchCalls(platform, load, { emit, quick })
    await benchLists(platform, { emit, quick })
  } finally {
    await load.stop()
    await platform.stop()
  }
}

async function benchCalls(
  platform: Platform,
  load: LoadGenerator,
  { emit, quick }: BenchOptions,
): Promise<void> {
  const api = await platform.startApi()
  const worker = await platform.startWorker()
  const cpuSeconds = async () => (await api.usage()).cpuSeconds
  const service: Target = {
    url: `${api.url}/mcp`,
    headers: mcpHeaders(api, 'tools/call', toolName),
    cpuSeconds,
    request: () => ({ body: callParts() }),
  }
  const floor: Target = {
    url: `${api.url}/v1/actions`,
    headers: { ...api.headers, prefer: 'wait=10' },
    cpuSeconds,
    request: () => ({ body: proposalParts() }),
  }
  await warmUp({ service, floor }, load, quick)
  const rounds = quick ? 1 : 7
  const common = { bench, rounds, ms: quick ? 500 : 3_000, emit, prefix: 'call_', floor_is: call_floor_is }
  for (const connections of [32, 1]) await compare({ service, floor }, load, { ...common, connections })
  await Promise.all([api.stop(), worker.stop()])
}

const toolName = `${sampleSystem}__${operationName(3)}`

/** The sample proposal as a call of its tool, in two parts, between which its id goes. */
function callParts(): [before: string, after: string] {
  const mark = 'id-goes-here'
  const { parameters } = sampleProposal(mark, operationName(3)).action
  const params = { name: toolName, arguments: parameters, _meta: metaOf(mark) }
  const [before = '', after = ''] = JSON.stringify(message('tools/call', params)).split(mark)
  return [before, after]
}

function message(method: string, params: object): object {
  return { jsonrpc: '2.0', id: 1, method, params }
}

function metaOf(proposalId?: string): object {
  return {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
    ...(proposalId === undefined ? {} : { 'io.action-gate/proposal-id': proposalId }),
  }
}

function mcpHeaders(api: RunningApi, method: string, name?: string): Record<string, string> {
  return {
    ...api.headers,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': method,
    ...(name === undefined ? {} : { 'mcp-name': name }),
  }
}

const operations = 1_000

/** The whole list: made for the first time by a new process, then kept, then made again for each change. */
async function benchLists(platform: Platform, { emit, quick }: BenchOptions): Promise<void> {
  const admin = await platform.startApi()
  await setRules(admin)
  await admin.stop()
  const times: ListTimes = { first: [], kept: [], cpu: [], trace: [], changed: [] }
  for (let round = 1; round <= (quick ? 1 : 5); round += 1) {
    note(`${bench}: lists, round ${round}`)
    const api = await platform.startApi()
    await timeLists(api, times, quick)
    await api.stop()
  }
  const detail = { operations, floor_is: list_floor_is }
  const floor = measured(times.trace).value
  for (const figure of ['first', 'changed', 'kept'] as const) {
    const time = measured(times[figure])
    emit({ bench, figure: `list_${figure}`, ...time, floor, ratio: time.value / floor, unit: 'ms', detail })
  }
  emit({ bench, figure: 'list_kept_cpu', ...measured(times.cpu), unit: 'ms', detail: { operations } })
}

type ListTimes = Record<'first' | 'kept' | 'cpu' | 'trace' | 'changed', number[]>

async function timeLists(api: RunningApi, times: ListTimes, quick: boolean): Promise<void> {
  const actionId = await submitOne(api)
  // The module of the server is loaded with the first request of a process, whatever it asks for.
  await post(api, 'server/discover', {})
  times.first.push(await timed(() => post(api, 'tools/list', {})))
  const cursors = await cursorsOf(api)
  const count = quick ? 20 : 300
  for (let time = 0; time < count; time += 1) await list(api, cursors)
  const before = (await api.usage()).cpuSeconds
  for (let time = 0; time < count; time += 1) times.kept.push(await timed(() => list(api, cursors)))
  times.cpu.push((((await api.usage()).cpuSeconds - before) * 1e3) / count)
  for (let time = 0; time < count; time += 1) times.trace.push(await timed(() => readTrace(api, actionId)))
  for (let change = 1; change <= (quick ? 2 : 20); change += 1) {
    await setPolicy(api, operations - (change % 2))
    times.changed.push(await timed(() => list(api, cursors)))
  }
}

async function setRules(api: RunningApi): Promise<void> {
  await configure(api, 'POST', 'catalog', sampleCatalog(operations))
  await setPolicy(api, operations)
}

function setPolicy(api: RunningApi, named: number): Promise<void> {
  return configure(api, 'PUT', 'policy', { policy: samplePolicy(named) })
}

async function configure(
  api: RunningApi,
  method: 'PUT' | 'POST',
  document: string,
  body: object,
): Promise<void> {
  const headers = { 'x-service-admin-key': api.adminKey, 'content-type': 'application/json' }
  const url = `${api.url}/v1/tenants/bench/${document}`
  const answer = await fetch(url, { method, headers, body: JSON.stringify(body) })
  if (!answer.ok) throw new Error(`${document}: ${answer.status} ${await answer.text()}`)
}

async function submitOne(api: RunningApi): Promise<string> {
  const [before, after] = proposalParts()
  const headers = { ...api.headers, 'content-type': 'application/json', prefer: 'wait=0' }
  const body = `${before}${performance.now()}-${process.pid}${after}`
  const answer = await fetch(`${api.url}/v1/actions`, { method: 'POST', headers, body })
  if (!answer.ok) throw new Error(`a proposal: ${answer.status} ${await answer.text()}`)
  return ((await answer.json()) as { action_id: string }).action_id
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now()
  await work()
  return performance.now() - begun
}

async function readTrace(api: RunningApi, actionId: string): Promise<void> {
  const { statusCode, body } = await request(`${api.url}/v1/actions/${actionId}`, { headers: api.headers })
  await body.arrayBuffer()
  if (statusCode !== 200) throw new Error(`a trace: ${statusCode}`)
}

/** What the network brought is counted as the service's; reading the JSON would be the client's. */
/** Every page, as the client takes them from the wire. */
async function list(api: RunningApi, cursors: readonly (string | null)[]): Promise<void> {
  for (const cursor of cursors) await post(api, 'tools/list', cursor === null ? {} : { cursor })
}

/** What the pages are asked for by; the last tool of each names the next. */
async function cursorsOf(api: RunningApi): Promise<(string | null)[]> {
  const cursors: (string | null)[] = []
  for (let cursor: string | null | undefined = null; cursor !== undefined; ) {
    cursors.push(cursor)
    const page = gunzipSync(await post(api, 'tools/list', cursor === null ? {} : { cursor }))
    cursor = /"nextCursor":"([^"]+)"/.exec(page.subarray(-500).toString())?.[1]
  }
  return cursors
}

async function post(api: RunningApi, method: string, params: object): Promise<Buffer> {
  const { statusCode, body } = await request(`${api.url}/mcp`, {
    method: 'POST',
    headers: { ...mcpHeaders(api, method), 'accept-encoding': 'gzip' },
    body: JSON.stringify(message(method, { ...params, _meta: metaOf() })),
  })
  if (statusCode !== 200) throw new Error(`${method}: ${statusCode} ${await body.text()}`)
  return Buffer.from(await body.arrayBuffer())
}
