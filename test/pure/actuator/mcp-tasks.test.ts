import type { ServerResponse } from 'node:http'
import { afterEach, describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../shared/contract/base/json.ts'
import type { McpSettings } from '../../../shared/contract/configuration/mcp-actuator-schema.ts'
import { callerOf, refundTool } from '../../support/fixtures/mcp-callers.ts'
import { type Asked, answerWith, serveRawMcp } from '../../support/fixtures/mcp-raw-server.ts'

const opened: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const resource of opened.splice(0)) await resource.close()
})

const done = { content: [{ type: 'text', text: 'refunded' }], structuredContent: { id: 7 } }
const working = { taskId: 'task-1', status: 'working', pollIntervalMs: 20, pollInterval: 20 }

/** What the server answers to each poll; the last one to all that follow. */
type Polls = (JsonObject | ((response: ServerResponse) => void))[]

interface Bench {
  polls: Polls
  /** Answers `tasks/result`, of the protocol of 2025-11-25. */
  result?: JsonObject
  settings?: Partial<McpSettings>
}

const modern = {
  resultType: 'complete',
  supportedVersions: ['2026-07-28'],
  capabilities: { tools: {} },
  _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'raw', version: '1' } },
}

/** Calls a tool that answers with a task. */
async function follow(era: 'modern' | 'legacy', { polls, result, settings }: Bench) {
  const asked: { method: string; params: Asked['params'] }[] = []
  const tool = era === 'modern' ? refundTool : { ...refundTool, execution: { taskSupport: 'required' } }
  const complete = era === 'modern' ? { resultType: 'complete', ttlMs: 0, cacheScope: 'private' } : {}
  let polled = 0
  const server = await serveRawMcp({
    tool,
    call: () => ({ result: era === 'modern' ? { resultType: 'task', ...working } : { task: working } }),
    before(method, response, { id, params }) {
      asked.push({ method, params })
      if (method === 'server/discover' && era === 'modern') return answerWith(response, id, modern)
      if (method === 'tools/list') return answerWith(response, id, { ...complete, tools: [tool] })
      if (method === 'tasks/result') return answerWith(response, id, result ?? {})
      if (method !== 'tasks/get') return false
      const answer = polls[Math.min(polled, polls.length - 1)]
      polled += 1
      if (typeof answer === 'function') answer(response)
      else answerWith(response, id, { ...complete, ...working, ...answer })
      return true
    },
  })
  opened.push(server)
  const { call, around } = callerOf({ type: 'streamable_http', url: server.url }, settings)
  opened.push(around.mcpSessions)
  const outcome = await call('ch_1')
  const methods = asked.map(({ method }) => method)
  return { outcome, asked, methods, called: server.called(), polled: () => polled }
}

describe('a task of the extension', () => {
  it('is polled until it ends, and its result is that of the call', async () => {
    const { outcome, asked, called } = await follow('modern', {
      polls: [{}, {}, { status: 'completed', result: done }],
    })
    expect(outcome).toEqual({
      class: 'ok',
      detail: { content: done.content, structured_content: { id: 7 } },
    })
    const polls = asked.filter(({ method }) => method === 'tasks/get')
    expect(polls).toHaveLength(3)
    expect(polls[0]?.params).toMatchObject({ taskId: 'task-1' })
    expect(called).toBe(1)
  })

  it('is taken from a server only since the call says that it is', async () => {
    const { asked } = await follow('modern', { polls: [{ status: 'completed', result: done }] })
    expect(asked.find(({ method }) => method === 'tools/call')?.params).toMatchObject({
      _meta: {
        'io.modelcontextprotocol/clientCapabilities': {
          extensions: { 'io.modelcontextprotocol/tasks': {} },
        },
      },
    })
  })

  it('that ends with an error is judged as the error of a tool', async () => {
    const tools = { refund: { error_means_nothing_done: true } }
    const failed = { status: 'failed', error: { code: -32_000, message: 'no such charge' } }
    expect((await follow('modern', { polls: [failed] })).outcome).toMatchObject({
      class: 'unknown',
      code: 'tool_error',
    })
    expect((await follow('modern', { polls: [failed], settings: { tools } })).outcome).toMatchObject({
      class: 'failed',
      message: expect.stringContaining('no such charge'),
    })
    const answered = { status: 'completed', result: { ...done, isError: true } }
    expect((await follow('modern', { polls: [answered] })).outcome).toMatchObject({ code: 'tool_error' })
  })

  it('that outlives the attempt is unknown, and named', async () => {
    const { outcome, called } = await follow('modern', { polls: [{}], settings: { timeout_ms: 2_000 } })
    expect(outcome).toMatchObject({
      class: 'unknown',
      code: 'task_unfinished',
      message: expect.stringContaining('task-1'),
      body: { task_id: 'task-1', status: 'working' },
    })
    expect(called).toBe(1)
  })

  it.each([
    ['cancelled', 'task_cancelled'],
    ['input_required', 'task_needs_input'],
    ['completed', 'incomplete_result'],
    ['failed', 'incomplete_result'],
  ])('that is %s may have had an effect', async (status, code) => {
    const tools = { refund: { error_means_nothing_done: true } }
    const { outcome } = await follow('modern', { polls: [{ status }], settings: { tools } })
    expect(outcome).toMatchObject({ class: 'unknown', code, body: { task_id: 'task-1' } })
  })

  it('is polled on when a poll is lost', async () => {
    const { outcome, polled } = await follow('modern', {
      polls: [
        response => response.destroy(),
        response => response.writeHead(500).end(),
        {},
        { status: 'completed', result: done },
      ],
    })
    expect(outcome).toMatchObject({ class: 'ok' })
    expect(polled()).toBe(4)
  })

  it('that its server does not know any more may have had an effect', async () => {
    const gone = (response: ServerResponse): void => {
      const error = { code: -32_602, message: 'no such task' }
      response.writeHead(200, { 'content-type': 'application/json' })
      // Its id is that of the request: polls are numbered from the call on.
      response.end(JSON.stringify({ jsonrpc: '2.0', id: 2, error }))
    }
    const tools = { refund: { error_means_nothing_done: true } }
    const { outcome } = await follow('modern', { polls: [gone], settings: { tools } })
    expect(outcome).toMatchObject({ class: 'unknown', code: 'task_lost' })
  })
})

describe('a task of the protocol of 2025-11-25', () => {
  it('is asked for where the tool demands it, and its result fetched', async () => {
    const { outcome, asked, methods } = await follow('legacy', {
      polls: [{}, { status: 'completed' }],
      result: done,
    })
    expect(outcome).toMatchObject({ class: 'ok', detail: { structured_content: { id: 7 } } })
    expect(asked.find(({ method }) => method === 'tools/call')?.params).toMatchObject({
      task: { ttl: 3_600_000 },
    })
    expect(methods.slice(-3)).toEqual(['tasks/get', 'tasks/get', 'tasks/result'])
  })

  it('that failed is judged as the error of a tool', async () => {
    const { outcome } = await follow('legacy', {
      polls: [{ status: 'failed' }],
      result: { ...done, isError: true },
    })
    expect(outcome).toMatchObject({ class: 'unknown', code: 'tool_error' })
  })

  it('is not seen in the result of a tool that was not asked for one', async () => {
    const server = await serveRawMcp({
      tool: refundTool,
      call: () => ({ result: { content: [], task: working } }),
    })
    opened.push(server)
    const { call, around } = callerOf({ type: 'streamable_http', url: server.url })
    opened.push(around.mcpSessions)
    expect(await call('ch_1')).toMatchObject({ class: 'ok' })
  })
})
