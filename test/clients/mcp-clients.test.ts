import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createMCPClient } from '@ai-sdk/mcp'
import { MultiServerMCPClient } from '@langchain/mcp-adapters'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { createTaskSessionFromClient, resultFromTaskOutcome } from '@modelcontextprotocol/ext-tasks/client'
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { MCPServerStreamableHttp } from '@openai/agents'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
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
let browser: TestBrowser
/** At the page of approvals, with the key of that tenant. */
let approver: Person
/** The process that the clients call. */
let called: TestService

beforeAll(async () => {
  service = await startService({ modules: [vanishing] })
  called = service
  const policy = {
    allowed_systems: ['crm'],
    allowed_operations: { crm: ['read', 'erase', 'vanish'] },
    parameter_constraints: { crm: { erase: { sure: { equals: true } } } },
    review_route: 'leads',
  } satisfies Partial<PolicyInput>
  const actuators = [{ name: 'crm', kind: 'module' as const, settings: {} }]
  tenant = await service.tenant({ policy: { ...policy, approval_required_at: 'medium' }, actuators })
  careful = await service.tenant({ policy: { ...policy, approval_required_at: 'low' }, actuators })
  browser = await startBrowser(service.url)
  approver = await browser.person()
  await openApprovals(approver.page, careful.approver)
}, 300_000)
afterAll(async () => {
  await browser?.close()
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
  const tools = await client.getTools()
  return {
    async call(name, given) {
      const tool = tools.find(known => known.name === name)
      const answer = await tool?.invoke(given).catch((error: Error) => error.message)
      return typeof answer === 'string' ? answer : JSON.stringify(answer)
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

async function nextHeld(): Promise<HeldAction> {
  const list = async () =>
    (await service.call<{ approvals: HeldAction[] }>('GET', '/v1/approvals', { key: careful.approver })).body
  await expect.poll(async () => (await list()).approvals.length, { timeout: 20_000 }).toBe(1)
  return (await list()).approvals[0] as HeldAction
}

/** Another process of the same service, which holds no answer for long. */
const anotherApi = () =>
  startService({
    database: service.database,
    worker: null,
    modules: [vanishing],
    env: { SERVICE_MCP_WAIT_MS: '100' },
  })

describe.each(Object.entries(strangers))('%s', (name, open) => {
  let client: Stranger

  beforeAll(async () => {
    client = await open(tenant.agent)
  })
  afterAll(() => client.close())

  test('gets the result of what is allowed', async () => {
    expect(await client.call('crm__read', { name })).toMatch(/"?done\\*"?:\\*"read/)
  })

  test('reads the codes of a denial', async () => {
    expect(await client.call('crm__erase', { name, sure: false })).toContain('parameter_not_equal')
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
      const { action_id } = await nextHeld()
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

  test('learns that nobody knows what happened', async () => {
    expect(await client.call('crm__vanish', { name })).toMatch(/Nobody knows whether it happened/)
  })
})
