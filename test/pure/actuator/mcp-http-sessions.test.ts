import { afterEach, describe, expect, it } from 'vitest'
import type { McpSettings } from '../../../shared/contract/configuration/mcp-actuator-schema.ts'
import type { Downstream } from '../../support/fixtures/http-downstream.ts'
import { type Caller, callerOf, refundTool } from '../../support/fixtures/mcp-callers.ts'
import { answerWith, type RawScript, serveRawMcp } from '../../support/fixtures/mcp-raw-server.ts'

const opened: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const resource of opened.splice(0)) await resource.close()
})

const result = { content: [{ type: 'text', text: 'refunded' }] }

interface Sessions {
  /** Methods, in the order in which they came. */
  methods: string[]
  /** Sessions that the server knows. */
  known: Set<string>
}

/** A server that gives out sessions and knows none that it forgot. */
async function serve(
  given: Partial<RawScript> = {},
): Promise<Sessions & { server: Downstream & { called(): number } }> {
  const [methods, known]: [string[], Set<string>] = [[], new Set()]
  const server = await serveRawMcp({
    tool: refundTool,
    call: () => ({ result }),
    ...given,
    before(method, response, asked) {
      methods.push(method)
      if (given.before?.(method, response, asked)) return true
      if (method === 'server/discover') return false
      if (method === 'initialize') {
        const id = `session-${methods.length}`
        known.add(id)
        response.setHeader('mcp-session-id', id)
        return false
      }
      if (known.has(String(asked.headers['mcp-session-id']))) return false
      response.writeHead(404).end()
      return true
    },
  })
  opened.push(server)
  return { server, methods, known }
}

function open({ url }: { url: string }, settings: Partial<McpSettings> = {}): Caller {
  const caller = callerOf({ type: 'streamable_http', url }, settings)
  opened.push(caller.around.mcpSessions)
  return caller
}

describe('a session over HTTP', () => {
  it('is opened once, and its tools are read before each call', async () => {
    const { server, methods } = await serve()
    const { call } = open(server)
    for (const charge of ['ch_1', 'ch_2']) expect(await call(charge)).toMatchObject({ class: 'ok' })
    expect(methods).toEqual([
      'server/discover',
      'initialize',
      'notifications/initialized',
      'tools/list',
      'tools/call',
      'tools/list',
      'tools/call',
    ])
    for (const { headers } of server.seen) expect(headers).not.toHaveProperty('x-action-gate-request')
  })

  it('reads the tools as seldom as its registration says', async () => {
    const { server, methods } = await serve()
    const { call } = open(server, { confirm_ms: 60_000 })
    for (const charge of ['ch_1', 'ch_2']) await call(charge)
    expect(methods.filter(method => method === 'tools/list')).toHaveLength(1)
    expect(server.called()).toBe(2)
  })

  it('reads the tools again once an answer told that they changed', async () => {
    const { server, methods } = await serve({
      call(response, id) {
        const changed = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' }
        const messages = [changed, { jsonrpc: '2.0', id, result }]
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        response.end(messages.map(message => `data: ${JSON.stringify(message)}\n\n`).join(''))
        return null
      },
    })
    const { call } = open(server, { confirm_ms: 60_000 })
    for (const charge of ['ch_1', 'ch_2']) expect(await call(charge)).toMatchObject({ class: 'ok' })
    expect(methods.filter(method => method === 'tools/list')).toHaveLength(2)
  })

  it('is opened for each tenant and each secret', async () => {
    const { server, known } = await serve()
    const transport = { type: 'streamable_http', url: server.url, bearer: { env: 'ACTUATOR_A' } } as const
    const secrets = new Map([['ACTUATOR_A', 'one']])
    const { call, around } = callerOf(transport, {}, { secrets })
    opened.push(around.mcpSessions)
    await call('ch_1')
    await call('ch_2', { tenant_id: 'other' })
    expect(known.size).toBe(2)
    secrets.set('ACTUATOR_A', 'two')
    await call('ch_3')
    expect(known.size).toBe(3)
    expect(server.seen.at(-1)?.headers.authorization).toBe('Bearer two')
  })

  it('carries calls side by side', async () => {
    const waiting: (() => void)[] = []
    const { server } = await serve({
      call(response, id) {
        waiting.push(() => answerWith(response, id, result))
        if (waiting.length === 5) for (const answer of waiting) answer()
        return null
      },
    })
    const { call } = open(server)
    const outcomes = await Promise.all(Array.from({ length: 5 }, (_, nth) => call(`ch_${nth}`)))
    expect(outcomes.map(outcome => outcome.class)).toEqual(Array(5).fill('ok'))
  })

  it('that its server forgot is opened anew, and the call comes once', async () => {
    const { server, known } = await serve()
    const { call } = open(server)
    await call('ch_1')
    known.clear()
    expect(await call('ch_2')).toMatchObject({ class: 'ok' })
    expect(server.called()).toBe(2)
  })

  it('that its server forgot at the call itself is opened anew, since nothing was done', async () => {
    const { server, known } = await serve()
    const { call } = open(server, { confirm_ms: 60_000 })
    await call('ch_1')
    known.clear()
    expect(await call('ch_2')).toMatchObject({ class: 'ok' })
    // The first that the server refused is counted too.
    expect(server.called()).toBe(3)
  })

  it('whose server forgets every session does nothing, and is tried again later', async () => {
    const { server, known } = await serve({
      before: method => {
        if (method === 'tools/call') known.clear()
        return false
      },
    })
    expect(await open(server).call('ch_1')).toMatchObject({ class: 'retry', code: 'mcp_not_ready' })
    expect(server.called()).toBe(1)
  })

  it('does not take 404 for a forgotten session where there is none', async () => {
    const server = await serveRawMcp({
      tool: refundTool,
      call(response) {
        response.writeHead(404).end()
        return null
      },
    })
    opened.push(server)
    expect(await open(server).call('ch_1')).toMatchObject({ class: 'unknown' })
    expect(server.called()).toBe(1)
  })

  it('whose server is gone sends nothing, which is proof', async () => {
    const { server } = await serve()
    const { call } = open(server, { confirm_ms: 60_000 })
    await call('ch_1')
    await server.close()
    expect(await call('ch_2')).toMatchObject({ class: 'retry', code: 'mcp_not_ready' })
  })

  it('in which a call was lost is not used again', async () => {
    const { server, known } = await serve({
      call(response) {
        response.destroy()
        return null
      },
    })
    const { call } = open(server)
    for (const charge of ['ch_1', 'ch_2'])
      expect(await call(charge)).toMatchObject({ class: 'unknown', code: 'no_complete_answer' })
    expect(known.size).toBe(2)
    expect(server.called()).toBe(2)
  })

  it('in which a tool answered an error is used again', async () => {
    const { server, known } = await serve({ call: () => ({ result: { ...result, isError: true } }) })
    const { call } = open(server)
    for (const charge of ['ch_1', 'ch_2']) expect(await call(charge)).toMatchObject({ code: 'tool_error' })
    expect(known.size).toBe(1)
  })

  it('whose server is busy is used again', async () => {
    let busy = false
    const { server, known } = await serve({
      before(method, response) {
        if (!busy || method !== 'tools/call') return false
        busy = false
        response.writeHead(429).end()
        return true
      },
    })
    const { call } = open(server)
    await call('ch_1')
    busy = true
    expect(await call('ch_2')).toMatchObject({ class: 'busy' })
    expect(await call('ch_3')).toMatchObject({ class: 'ok' })
    expect(known.size).toBe(1)
  })

  it('is ended at its server when its worker ends', async () => {
    const { server } = await serve()
    const { call, around } = open(server)
    await call('ch_1')
    await around.mcpSessions.close()
    expect(server.seen.at(-1)).toMatchObject({
      method: 'DELETE',
      headers: { 'mcp-session-id': expect.stringContaining('session-') },
    })
  })
})

describe('an attempt that joins a session which another opens', () => {
  it('opens one itself where the other was too late', async () => {
    const { server } = await serve()
    const { call } = open(server)
    const [late, timely] = await Promise.all([call('ch_1', { isLate: () => true }), call('ch_2')])
    expect(late).toMatchObject({ class: 'retry', code: 'too_late' })
    expect(timely).toMatchObject({ class: 'ok' })
    expect(server.called()).toBe(1)
  })
})
