import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createMCPClient } from '@ai-sdk/mcp'
import { AIMessage, type ToolMessage } from '@langchain/core/messages'
import { ToolNode } from '@langchain/langgraph/prebuilt'
import { MultiServerMCPClient } from '@langchain/mcp-adapters'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { createTaskSessionFromClient, resultFromTaskOutcome } from '@modelcontextprotocol/ext-tasks/client'
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { MCPServerStreamableHttp } from '@openai/agents'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Actuator } from '../../shared/actuator/actuator.ts'
import type { HeldAction } from '../../shared/contract/action/action.ts'
import type { JsonValue } from '../../shared/contract/base/json.ts'
import type { PolicyInput } from '../../shared/contract/configuration/policy.ts'
import { openApprovals } from '../browser/sign-in.ts'
import { type Person, startBrowser, type TestBrowser } from '../support/servers/browser.ts'
import { startService, type TestService } from '../support/service/service.ts'
import type { TestTenant } from '../support/service/tenant.ts'

/** A client of somebody else, as an agent uses it: what the model reads of a call, as one text. */
interface Stranger {
  call(name: string, given: Record<string, unknown>): Promise<string>
  close(): Promise<void>
}

const vanishing: Actuator = {
  name: 'crm',
  idempotency: 'none',
  async invoke({ operation }) {
    if (operation === 'vanish') return { class: 'unknown', code: 'vanished', message: 'no answer came' }
    return { class: 'ok', detail: { done: operation } }
  },
}

let service: TestService
let tenant: TestTenant
/** Everything of it is held. */
let careful: TestTenant
/** The same, and nobody looks at its page, which stays at what was decided elsewhere until its reader goes on. */
let rejecting: TestTenant
let browser: TestBrowser
/** At the page of approvals, with the key of that tenant. */
let approver: Person
/** The process that the clients call. */
let called: TestService
/** Another process, which holds no answer for long. */
let short: TestService
/** And one where a key may do little. */
let strict: TestService

const policy = {
  allowed_systems: ['crm'],
  allowed_operations: { crm: ['read', 'erase', 'vanish'] },
  parameter_constraints: { crm: { erase: { sure: { equals: true } } } },
  review_route: 'leads',
} satisfies Partial<PolicyInput>
const actuators = [{ name: 'crm', kind: 'module' as const, settings: {} }]

beforeAll(async () => {
  service = await startService({ modules: [vanishing] })
  called = service
  short = await anotherApi()
  strict = await anotherApi({ SERVICE_RATE_LIMIT: '12' })
  tenant = await service.tenant({ policy: { ...policy, approval_required_at: 'medium' }, actuators })
  careful = await service.tenant({ policy: { ...policy, approval_required_at: 'low' }, actuators })
  rejecting = await service.tenant({ policy: { ...policy, approval_required_at: 'low' }, actuators })
  browser = await startBrowser(service.url)
  approver = await browser.person()
  await openApprovals(approver.page, careful.approver)
}, 300_000)
afterAll(async () => {
  await browser?.close()
  await strict?.close()
  await short?.close()
  await service?.close()
})

const address = () => `${called.url}/mcp`
const headersOf = (key: string) => ({ authorization: `Bearer ${key}` })

const strangers: Record<string, (key: string) => Promise<Stranger>> = {
  'the official client with the Tasks extension': officialWithTasks,
  'the official client of 2025': officialOld,
  'LangChain with its MCP adapters': langChain,
  'the OpenAI Agents SDK': openAiAgents,
  "the AI SDK's MCP client": aiSdk,
  "the inspector's command line": inspector,
}

async function officialWithTasks(key: string): Promise<Stranger> {
  const headers = headersOf(key)
  const protocolVersion = '2026-07-28'
  const clientInfo = { name: 'tasks', version: '1' }
  const clientCapabilities = { extensions: { 'io.modelcontextprotocol/tasks': {} } }
  const client = new Client(clientInfo, { versionNegotiation: { mode: { pin: protocolVersion } } })
  await client.connect(new StreamableHTTPClientTransport(new URL(address()), { requestInit: { headers } }))
  const session = createTaskSessionFromClient(client, {
    endpointId: 'action-gate',
    v2RequestFraming: { protocolVersion, clientInfo, clientCapabilities },
    async rawDispatch(request) {
      const { method, params } = request as { method: string; params: { name?: string; taskId?: string } }
      const answer = await fetch(address(), {
        method: 'POST',
        headers: {
          ...headers,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': protocolVersion,
          'mcp-method': method,
          'mcp-name': params.name ?? params.taskId ?? '',
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...(request as object) }),
      })
      const { result, error } = (await answer.json()) as {
        result?: JsonValue
        error?: { code: number; message: string }
      }
      return error ? { kind: 'error', error } : { kind: 'result', result: result ?? null }
    },
  })
  return {
    async call(name, given) {
      const execution = await session.callTool(name, given as never)
      const { outcome } = await execution.settle()
      return JSON.stringify(resultFromTaskOutcome(outcome))
    },
    async close() {
      await session.close()
      await client.close()
    },
  }
}

async function officialOld(key: string): Promise<Stranger> {
  const headers = headersOf(key)
  const client = new OldClient({ name: 'old', version: '1' })
  await client.connect(new OldTransport(new URL(address()), { requestInit: { headers } }) as never)
  return {
    call: async (name, given) => JSON.stringify(await client.callTool({ name, arguments: given })),
    close: () => client.close(),
  }
}

async function langChain(key: string): Promise<Stranger> {
  const headers = headersOf(key)
  const client = new MultiServerMCPClient({
    throwOnLoadError: true,
    mcpServers: { gate: { transport: 'http', url: address(), headers } },
  })
  const tools = new ToolNode(await client.getTools())
  return {
    async call(name, args) {
      const asked = { id: 'call-1', name, args, type: 'tool_call' as const }
      const messages = [new AIMessage({ content: '', tool_calls: [asked] })]
      const answer = (await tools.invoke({ messages })) as { messages: ToolMessage[] }
      const content = answer.messages[0]?.content
      return typeof content === 'string' ? content : JSON.stringify(content)
    },
    close: () => client.close(),
  }
}

async function openAiAgents(key: string): Promise<Stranger> {
  const headers = headersOf(key)
  const server = new MCPServerStreamableHttp({
    url: address(),
    name: 'gate',
    requestInit: { headers },
  })
  await server.connect()
  return {
    call: async (name, given) => JSON.stringify(await server.callTool(name, given)),
    close: () => server.close(),
  }
}

async function aiSdk(key: string): Promise<Stranger> {
  const headers = headersOf(key)
  const client = await createMCPClient({ transport: { type: 'http', url: address(), headers } })
  const tools = await client.tools()
  return {
    async call(name, given) {
      const execute = tools[name]?.execute
      const answer = await execute?.(given as never, { toolCallId: '1', messages: [] } as never)
      return JSON.stringify(answer)
    },
    close: () => client.close(),
  }
}

/** A process for each call, as somebody types it. Its versions from 2 on need a newer Node than this project promises. */
async function inspector(key: string): Promise<Stranger> {
  const { authorization } = headersOf(key)
  const to = ['--cli', address(), '--transport', 'http', '--header', `authorization: ${authorization}`]
  const run = async (given: readonly string[]): Promise<string> => {
    const { stdout } = await promisify(execFile)(process.execPath, [inspectorProgram, ...to, ...given])
    return JSON.stringify(JSON.parse(stdout))
  }
  expect(await run(['--method', 'tools/list'])).toContain('crm__read')
  return {
    call: (name, given) =>
      run([
        ...['--method', 'tools/call', '--tool-name', name],
        ...Object.entries(given).flatMap(([argument, value]) => [
          '--tool-arg',
          `${argument}=${JSON.stringify(value)}`,
        ]),
      ]),
    close: () => Promise.resolve(),
  }
}

const inspectorProgram = fileURLToPath(
  new URL('node_modules/@modelcontextprotocol/inspector/cli/build/cli.js', import.meta.url),
)

/** What a person does at the page while the agent waits. */
async function approveAtThePage(): Promise<void> {
  const { page } = approver
  await page.getByRole('button', { name: /^Approve/ }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Approve and execute' }).click()
  await page.getByText(/You approved read on crm\./).waitFor()
  await page.getByRole('button', { name: 'Dismiss' }).click()
}

async function nextHeld({ approver: key }: TestTenant): Promise<HeldAction> {
  const list = async () =>
    (await service.call<{ approvals: HeldAction[] }>('GET', '/v1/approvals', { key })).body
  await expect.poll(async () => (await list()).approvals.length, { timeout: 20_000 }).toBe(1)
  return (await list()).approvals[0] as HeldAction
}

/** Another process of the same service, which holds no answer for long. */
const anotherApi = (env: Record<string, string> = {}) =>
  startService({
    database: service.database,
    worker: null,
    modules: [vanishing],
    env: { SERVICE_MCP_WAIT_MS: '100', ...env },
  })

/** What a model reads of each way that a call ends by itself; `mend`: that it is to mend the call. */
const readings = [
  { what: 'a result', tool: 'crm__read', given: {}, says: /"?done\\*"?:\\*"read/, mend: false },
  {
    what: 'a refusal',
    tool: 'crm__erase',
    given: {},
    says: /Refused: parameter_missing: sure is required\. Nothing was done\. Mending it is welcome/,
    mend: true,
  },
  {
    what: 'a denial',
    tool: 'crm__erase',
    given: { sure: false },
    says: /The policy denies it: parameter_not_equal: sure must be equal to true\. Nothing was done\. Stop/,
    mend: false,
  },
  {
    what: 'an unknown outcome',
    tool: 'crm__vanish',
    given: {},
    says: /Nobody knows whether it happened: .* Do not repeat it\./,
    mend: false,
  },
]

/** Errors of the protocol are what frameworks ask to be mended. */
function expectMending(read: string, mend: boolean): void {
  if (mend) expect(read).toMatch(/"isError":true|Please fix your mistakes|Mending it is welcome/)
  else expect(read).not.toMatch(/"isError":true|fix your mistakes|returned an error/)
}

/** Asks until a key has no request left. */
async function drained(key: string): Promise<void> {
  const asked = () => strict.call('GET', '/v1/actions', { key })
  while ((await asked()).status !== 429);
}

describe.each(Object.entries(strangers))('%s', (name, open) => {
  let client: Stranger

  beforeAll(async () => {
    client = await open(tenant.agent)
  })
  afterEach(() => {
    called = service
  })
  afterAll(() => client.close())

  test.each(readings)('reads of $what what to do, and the ids after', async ({ tool, given, says, mend }) => {
    const read = await client.call(tool, { name, ...given })
    expect(read).toMatch(says)
    expect(read.search(says)).toBeLessThan(read.indexOf('act_'))
    expectMending(read, mend)
  })

  test('reads of a hold what to wait with, and of a rejection that the matter ends', async () => {
    called = short
    const waiting = await open(rejecting.agent)
    const calling = waiting.call('crm__read', { name, rejected: true })
    const hold = name.includes('Tasks') ? null : await calling
    const { action_id } = await nextHeld(rejecting)
    await rejecting.reject(action_id, { note: 'not today' })
    const rejection = hold === null ? await calling : await waiting.call('action_wait', { action_id })
    await waiting.close()
    expect(rejection).toMatch(
      /A person rejected it: not today\. Nothing was done\. Do not propose it again\./,
    )
    expectMending(rejection, false)
    if (hold === null) return
    expect(hold).toMatch(/Waiting for a person to approve: leads\. .*action_wait/)
    expect(hold).toContain(action_id)
    expectMending(hold, false)
  })

  test('reads of a limit how long to wait', async context => {
    // A process for each call is refused before it could call.
    if (name.includes('inspector')) return context.skip()
    called = strict
    const { agent } = await service.tenant({
      policy: { ...policy, approval_required_at: 'medium' },
      actuators,
    })
    const limited = await open(agent)
    const beyond = async () => {
      await drained(agent)
      return limited.call('crm__read', { name })
    }
    await expect
      .poll(beyond, { timeout: 30_000 })
      .toMatch(/Nothing was done\. Wait \d+ seconds?, then make the same call/)
    await limited.close()
  })

  test('has the result of what a person approved at the page while it waited', async () => {
    const waiting = await open(careful.agent)
    const [answer] = await Promise.all([waiting.call('crm__read', { name }), approveAtThePage()])
    expect(answer).toMatch(/"?done\\*"?:\\*"read/)
    await waiting.close()
  })

  test('has the result although the process that took the call ended before the next one', async () => {
    const [first, second] = await Promise.all([anotherApi(), anotherApi()])
    try {
      called = first
      const waiting = await open(careful.agent)
      const calling = waiting.call('crm__read', { name, restarted: true })
      const { action_id } = await nextHeld(careful)
      called = second
      const answer = name.includes('Tasks') ? calling : waitAnew(await calling, action_id)
      await first.close()
      await approveAtThePage()
      expect(await answer).toMatch(/"?done\\*"?:\\*"read/)
      expect(approver.complaints()).toEqual([])
    } finally {
      called = service
      await second.close()
    }
  })

  /** Without tasks a client is told what to wait for, and asks with a new connection. */
  async function waitAnew(told: string, action_id: string): Promise<string> {
    expect(told).toContain(action_id)
    expect(told).toContain('/approve/')
    for (;;) {
      const anew = await open(careful.agent)
      const answer = await anew.call('action_wait', { action_id })
      await anew.close()
      if (!/pending_approval|execution_pending|executing/.test(answer)) return answer
    }
  }
})
