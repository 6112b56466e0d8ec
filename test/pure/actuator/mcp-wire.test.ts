import type { ServerResponse } from 'node:http'
import { afterEach, describe, expect, it } from 'vitest'
import { invoke as invokeSoundly } from '../../../shared/actuator/invoke.ts'
import { mcpActuator } from '../../../shared/actuator/mcp/mcp-actuator.ts'
import { toolHash } from '../../../shared/actuator/mcp/tool-request.ts'
import type { McpSettings } from '../../../shared/contract/configuration/mcp-actuator-schema.ts'
import { invocationOf, surroundings } from '../../support/fixtures/actuator-surroundings.ts'
import { type RawScript, serveRawMcp } from '../../support/fixtures/mcp-raw-server.ts'

const tool = {
  name: 'refund',
  description: 'Refund a charge.',
  inputSchema: { type: 'object', properties: { charge: { type: 'string' } } },
  outputSchema: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
}

const opened: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const server of opened.splice(0)) await server.close()
})

async function call(
  answer: Record<string, unknown> | ((response: ServerResponse, id: number) => void),
  more: { tools?: McpSettings['tools']; secret?: string } & Pick<RawScript, 'before'> = {},
) {
  const server = await serveRawMcp({
    tool,
    call(response, id) {
      if (typeof answer !== 'function') return answer
      answer(response, id)
      return null
    },
    ...(more.before ? { before: more.before } : {}),
  })
  opened.push(server)
  const settings: McpSettings = {
    transport: {
      type: 'streamable_http',
      url: server.url,
      ...(more.secret === undefined ? {} : { headers: { authorization: { env: 'ACTUATOR_TOKEN' } } }),
    },
    tools: more.tools ?? { refund: { error_means_nothing_done: true } },
    timeout_ms: 20_000,
  }
  const secrets = new Map(more.secret === undefined ? [] : [['ACTUATOR_TOKEN', more.secret]])
  const actuator = mcpActuator('refunds', settings, surroundings({ secrets }))
  const invocation = invocationOf({
    operation: 'refund',
    parameters: { charge: 'ch_1' },
    tool_schema_hash: toolHash(tool),
  })
  return { outcome: await invokeSoundly(actuator, invocation), called: server.called() }
}

const text = [{ type: 'text', text: 'refunded ch_1' }]

describe('what an MCP server answers over the wire decides', () => {
  it('a complete result without the promised structure is a success', async () => {
    expect(await call({ result: { content: text } })).toEqual({
      outcome: { class: 'ok', detail: { content: text } },
      called: 1,
    })
  })

  it('content is kept beside structured content, whatever schema that breaks', async () => {
    const { outcome } = await call({ result: { content: text, structuredContent: { id: 7 } } })
    expect(outcome).toEqual({ class: 'ok', detail: { content: text, structured_content: { id: 7 } } })
  })

  it.each([
    ['content of no known type', { content: [{ type: 'hologram', data: 1 }] }],
    ['content that is no list', { content: 'done' }],
    ['no content at all', {}],
  ])('a complete result with %s is a success', async (_name, result) => {
    expect((await call({ result })).outcome).toMatchObject({ class: 'ok' })
  })

  it('a result that a record cannot hold is a success, and why it is left out is told', async () => {
    const { outcome } = await call({ result: { content: [{ type: 'text', text: 'a\0b' }] } })
    expect(outcome).toEqual({ class: 'ok', detail: { omitted: 'nul_character' } })
  })

  it('a number that was rounded on the way is not recorded', async () => {
    const { outcome } = await call((response, id) => {
      const result = '{"content":[],"structuredContent":{"id":9007199254740993}}'
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(`{"jsonrpc":"2.0","id":${id},"result":${result}}`)
    })
    expect(outcome).toEqual({ class: 'ok', detail: { omitted: 'number_out_of_range' } })
  })

  it('a tool error and an error of the protocol count as they are registered', async () => {
    const failed = { result: { isError: true, content: [{ type: 'text', text: 'gone' }] } }
    expect((await call(failed)).outcome).toMatchObject({ class: 'failed', code: 'tool_error' })
    const refused = { error: { code: -32_602, message: 'no such charge' } }
    expect((await call(refused)).outcome).toMatchObject({
      class: 'failed',
      code: 'tool_error',
      message: expect.stringContaining('no such charge'),
    })
    expect((await call(refused, { tools: { refund: {} } })).outcome).toMatchObject({ class: 'unknown' })
  })

  it('an error of a tool says the first 500 characters of its result', async () => {
    const content = [{ type: 'text', text: 'gone '.repeat(200) }]
    expect((await call({ result: { isError: true, content } })).outcome).toMatchObject({
      message: JSON.stringify({ content }).slice(0, 500),
    })
    const message = 'gone '.repeat(200)
    expect((await call({ error: { code: -32_602, message } })).outcome).toMatchObject({
      message: `-32602: ${message}`.slice(0, 500),
    })
  })

  it('an answer that is no answer to the call says at most 500 characters of it', async () => {
    const { outcome } = await call(response => response.writeHead(500).end('gone '.repeat(200)))
    expect(outcome).toMatchObject({ class: 'unknown', message: expect.stringMatching(/^[\s\S]{500}$/) })
  })

  it('an answer that is cut off may have had an effect, however errors are registered', async () => {
    const { outcome, called } = await call(response => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '500' })
      response.write('{"jsonrpc":"2.0"', () => response.destroy())
    })
    expect(outcome).toMatchObject({ class: 'unknown', code: 'no_complete_answer' })
    expect(called).toBe(1)
  })

  it('a result that is not complete may have had an effect', async () => {
    const { outcome } = await call({ result: { resultType: 'input_required', content: [] } })
    expect(outcome).toMatchObject({ class: 'unknown' })
  })

  it.each([
    [429, {}, undefined],
    [429, { 'retry-after': '7' }, 7_000],
    [503, { 'retry-after': '7' }, 7_000],
  ])('a call that is answered %i with %j is busy', async (status, headers, delay) => {
    const { outcome } = await call(response => response.writeHead(status, headers).end())
    expect(outcome).toMatchObject({ class: 'busy', code: `http_${status}` })
    expect((outcome as { retry_after_ms?: number }).retry_after_ms).toBe(delay)
  })

  it('a call that is answered 503 without a time may have had an effect', async () => {
    const { outcome } = await call(response => response.writeHead(503).end())
    expect(outcome).toMatchObject({ class: 'unknown' })
  })

  it('a secret that a message ends within is hidden whole', async () => {
    const secret = 'abcdefghijklmnopqrstuvwxyz'
    const echo = (response: ServerResponse) => response.writeHead(500).end(secret.repeat(40))
    const { outcome } = await call(echo, { secret })
    expect(outcome).toMatchObject({ class: 'unknown', message: expect.stringContaining('[redacted]') })
    expect(JSON.stringify(outcome)).not.toContain('abc')
  })

  it('what hides a secret makes no message longer than 500 characters', async () => {
    const echo = (response: ServerResponse) => response.writeHead(500).end('sesame'.repeat(100))
    const hidden = { message: expect.stringMatching(/^(?=.*\[redacted\])[\s\S]{500}$/) }
    const called = await call(echo, { secret: 'sesame' })
    expect(called.outcome).toMatchObject({ class: 'unknown', ...hidden })
    const before = (method: string, response: ServerResponse): boolean => {
      if (method === 'tools/list') echo(response)
      return method === 'tools/list'
    }
    const refused = await call({ result: {} }, { secret: 'sesame', before })
    expect(refused).toMatchObject({ outcome: { class: 'retry', ...hidden }, called: 0 })
  })

  it('a server that is busy before the call is busy', async () => {
    const before = (_method: string, response: ServerResponse): boolean => {
      response.writeHead(429, { 'retry-after': '3' }).end()
      return true
    }
    expect(await call({ result: {} }, { before })).toMatchObject({
      outcome: { class: 'busy', retry_after_ms: 3_000 },
      called: 0,
    })
  })
})
