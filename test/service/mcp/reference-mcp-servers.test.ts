import { readFileSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { mcpActuator } from '../../../shared/actuator/mcp/mcp-actuator.ts'
import { toolHash } from '../../../shared/actuator/mcp/tool-request.ts'
import type { JsonObject } from '../../../shared/contract/base/json.ts'
import type { McpServer, McpSettings } from '../../../shared/contract/configuration/mcp-actuator-schema.ts'
import { invocationOf, surroundings } from '../../support/fixtures/actuator-surroundings.ts'
import { sameUser } from '../../support/fixtures/mcp-callers.ts'
import { processesOf } from '../../support/platform/processes.ts'
import { repositoryRoot } from '../../support/repository-root.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import type { TestTenant } from '../../support/service/tenant.ts'

// Programs start slowly where other work is going on.
vi.setConfig({ testTimeout: 60_000 })
/** The reference servers of the protocol, which nobody here wrote. */
const names = ['everything', 'filesystem', 'memory'] as const
let place: string
let servers: Record<(typeof names)[number], McpServer>
let service: TestService
let tenant: TestTenant

beforeAll(async () => {
  place = await mkdtemp(join(tmpdir(), 'reference-servers-'))
  const server = (name: string, args: string[] = [], env: McpServer['env'] = {}): McpServer => {
    const folder = `test/node_modules/@modelcontextprotocol/server-${name}`
    const program = join(repositoryRoot, folder, 'dist/index.js')
    return { command: process.execPath, args: [program, ...args], env, user: sameUser }
  }
  servers = {
    // It does not read its argument, by which its process is found.
    everything: server('everything', ['stdio', join(place, 'everything')]),
    filesystem: server('filesystem', [place]),
    memory: server('memory', [], { MEMORY_FILE_PATH: join(place, 'memory.jsonl') }),
  }
  const actuators = await Promise.all(
    names.map(async name => ({
      name,
      kind: 'mcp' as const,
      settings: {
        transport: { type: 'stdio' as const, server: name },
        tools: await toolsOf(name),
        timeout_ms: 30_000,
      },
    })),
  )
  service = await startService({ env: { SERVICE_MCP_SERVERS: JSON.stringify(servers) } })
  tenant = await service.tenant({
    policy: { allowed_systems: [...names], approval_required_at: 'high', review_route: 'leads' },
    actuators,
  })
}, 120_000)

afterAll(async () => {
  await service.close()
  await rm(place, { recursive: true })
})

/** The official client alone, connected. */
async function clientOf(name: (typeof names)[number]): Promise<Client> {
  const { command, args, env } = servers[name]
  const client = new Client({ name: 'whoever registers', version: '1' })
  const transport = new StdioClientTransport({
    command,
    args,
    env: env as Record<string, string>,
    stderr: 'ignore',
  })
  await client.connect(transport)
  return client
}

/** Every tool that a server lists, committed to as it is. */
async function toolsOf(name: (typeof names)[number]): Promise<McpSettings['tools']> {
  const client = await clientOf(name)
  const { tools } = await client.listTools()
  await client.close()
  const committed = tools.map(tool => [
    tool.name,
    { tool_schema_hash: toolHash(tool), error_means_nothing_done: tool.name === 'read_text_file' },
  ])
  return Object.fromEntries(committed)
}

async function run(system: (typeof names)[number], operation: string, parameters: JsonObject) {
  const submitted = await tenant.submit({ system, operation, parameters })
  return tenant.settled(submitted.body.action_id)
}

const resultOf = (trace: Awaited<ReturnType<typeof run>>) => (trace.execution as JsonObject | null)?.result

describe('a call of a program that runs', () => {
  /** The quickest median of three rounds: other work on the machine makes a round slow, and none quick. */
  async function quickest(call: (message: string) => Promise<unknown>): Promise<number> {
    const medians: number[] = []
    for (let round = 0; round < 3; round += 1) {
      const took: number[] = []
      for (let nth = 0; nth < 51; nth += 1) {
        const begun = performance.now()
        const answered = await call(`call ${nth}`)
        took.push(performance.now() - begun)
        expect(JSON.stringify(answered)).toContain(`Echo: call ${nth}`)
      }
      medians.push(took.sort((one, other) => one - other)[25] ?? Number.NaN)
    }
    return Math.min(...medians)
  }

  it('takes less than 15 ms at the median, or thrice what the bare client takes', async () => {
    const around = surroundings({ mcpServers: new Map(Object.entries(servers)) })
    const settings = { transport: { type: 'stdio', server: 'everything' } as const, timeout_ms: 60_000 }
    const actuator = mcpActuator('everything', { ...settings, tools: await toolsOf('everything') }, around)
    const client = await clientOf('everything')
    try {
      const invoked = await quickest(message =>
        actuator.invoke(invocationOf({ operation: 'echo', parameters: { message } })),
      )
      const bare = await quickest(message => client.callTool({ name: 'echo', arguments: { message } }))
      expect(invoked, `the bare client took ${bare} ms`).toBeLessThan(Math.max(15, 3 * bare))
    } finally {
      await client.close()
      await around.mcpSessions.close()
    }
  }, 120_000)
})

describe('the server everything', () => {
  it('is called, and its text is the result', async () => {
    expect(resultOf(await run('everything', 'get-sum', { a: 19, b: 23 }))).toMatchObject({
      ok: true,
      detail: { content: [{ type: 'text', text: 'The sum of 19 and 23 is 42.' }] },
    })
  })

  it('has its structured content kept beside its text', async () => {
    const trace = await run('everything', 'get-structured-content', { location: 'New York' })
    expect(resultOf(trace)).toMatchObject({
      detail: {
        content: [{ type: 'text' }],
        structured_content: { temperature: expect.any(Number), conditions: expect.any(String) },
      },
    })
  })

  it('answers with a task, which is followed to its end', async () => {
    const trace = await run('everything', 'simulate-research-query', { topic: 'gates' })
    expect(trace.status, JSON.stringify(trace.execution)).toBe('executed')
    expect(JSON.stringify(resultOf(trace))).toContain('Research Report: gates')
  })

  it('that is killed in a call leaves the action unknown, and serves the next', async () => {
    const operation = 'trigger-long-running-operation'
    const parameters = { duration: 60, steps: 60 }
    const submitted = await tenant.submit(
      { system: 'everything', operation, parameters },
      { prefer: 'wait=0' },
    )
    const { action_id } = submitted.body
    const statusAfterKill = async () => {
      const { status } = await tenant.trace(action_id)
      if (status === 'executing') for (const pid of programsOf(place)) process.kill(pid, 'SIGKILL')
      return status
    }
    await expect.poll(statusAfterKill, { timeout: 60_000, interval: 3_000 }).toBe('outcome_unknown')
    expect((await tenant.trace(action_id)).execution).toMatchObject({
      error: { code: 'no_complete_answer', message: expect.stringContaining('Connection closed') },
    })
    expect((await run('everything', 'echo', { message: 'again' })).status).toBe('executed')
  }, 90_000)
})

/** The programs of the server everything, without what stands between them and the worker. */
function programsOf(directory: string): number[] {
  return processesOf(join(directory, 'everything'))
    .filter(pid => !readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('--eval'))
    .map(Number)
}

describe('the server filesystem', () => {
  it('writes what was allowed, once', async () => {
    const path = join(place, 'note.txt')
    expect((await run('filesystem', 'write_file', { path, content: 'gated' })).status).toBe('executed')
    expect(await readFile(path, 'utf8')).toBe('gated')
  })

  it('refuses what is not its own, which is as its registration says', async () => {
    const elsewhere = { path: '/etc/hostname' }
    expect(await run('filesystem', 'read_text_file', elsewhere)).toMatchObject({
      status: 'execution_failed',
      execution: { error: { code: 'tool_error' } },
    })
    const outside = { path: join(tmpdir(), 'outside.txt'), content: 'x' }
    expect((await run('filesystem', 'write_file', outside)).status).toBe('outcome_unknown')
  })
})

describe('the server memory', () => {
  it('remembers over calls what one of them told it', async () => {
    const entities = [{ name: 'gate', entityType: 'boundary', observations: ['it holds'] }]
    expect((await run('memory', 'create_entities', { entities })).status).toBe('executed')
    expect(resultOf(await run('memory', 'read_graph', {}))).toMatchObject({
      detail: { structured_content: { entities } },
    })
  })
})
