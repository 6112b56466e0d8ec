import { afterEach, describe, expect, it } from 'vitest'
import { httpActuator } from '../../../shared/actuator/http/http-actuator.ts'
import type { HttpAuth } from '../../../shared/contract/base/http-auth.ts'
import type { HttpSettings } from '../../../shared/contract/configuration/http-actuator-schema.ts'
import { invocationOf, surroundings } from '../../support/fixtures/actuator-surroundings.ts'
import { startDownstream } from '../../support/fixtures/http-downstream.ts'
import { callerOf, refundTool } from '../../support/fixtures/mcp-callers.ts'
import { answerWith, serveRawMcp } from '../../support/fixtures/mcp-raw-server.ts'
import { leaksIn, repeatedForms, repeating } from '../../support/fixtures/repeated-forms.ts'

const opened: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const resource of opened.splice(0)) await resource.close()
})

/** With characters that every way of writing writes in its own way. */
const secret = `se/cr+t =7&"q'%\\x~!(k)`
const token = 'access-token/+~of.a.client=='
const proof = 'a2V5_proof-of_the-address_0123456789-abcdefg'
const callback_url = `https://gate.example/v1/callbacks/acme.act_1.1.${proof}`
const reference = { env: 'ACTUATOR_SHOP' } as const

/** How the secret is sent. */
const kinds: Readonly<Record<string, HttpAuth>> = {
  bearer: { type: 'bearer', token: reference },
  basic: { type: 'basic', username: 'shop', password: reference },
  header: { type: 'header', name: 'X-Key', value: reference },
  query: { type: 'query', name: 'key', value: reference },
  hmac: { type: 'hmac', key: reference },
  client_basic: {
    type: 'oauth2_client_credentials',
    token_url: '',
    client_id: 'shop',
    client_secret: reference,
  },
  client_post: {
    type: 'oauth2_client_credentials',
    token_url: '',
    client_id: 'shop',
    client_secret: reference,
    client_authentication: 'post',
  },
}

const ends = {
  done_when: { path: 'state', equals: 'done' },
  failed_when: { path: 'state', equals: 'failed' },
} as const

/** What one way in makes of an answer that repeats everything. */
type Way = (bed: Awaited<ReturnType<typeof open>>) => Promise<unknown>

const ways: Readonly<Record<string, Way>> = {
  'the answer to a call': bed => bed.call(200),
  'the refusal of a call': bed => bed.call(422),
  'an answer in doubt': bed => bed.call(500),
  'an answer of plain text': bed => bed.call(422, Object.values(bed.body).flat().join('\n')),
  'a poll that is done': bed => bed.poll({ state: 'done' }),
  'a poll that failed': bed => bed.poll({ state: 'failed' }),
  'a poll that goes on': bed => bed.poll({}),
  'a look-up that found it': bed => bed.lookUp(200),
  'a look-up that is unclear': bed => bed.lookUp(500),
  'a callback that is done': bed => bed.callBack({ state: 'done' }),
  'a callback that failed': bed => bed.callBack({ state: 'failed' }),
}

async function open(auth: HttpAuth) {
  const body: Record<string, unknown> = repeating([secret, token, proof])
  let answer = { status: 200, text: '' }
  const server = await startDownstream((seen, response) => {
    if (seen.url === '/token') {
      response.setHeader('content-type', 'application/json')
      return response.end(JSON.stringify({ access_token: token, token_type: 'Bearer' }))
    }
    if (seen.headers['webhook-signature']) body.signature = seen.headers['webhook-signature']
    return response.writeHead(answer.status).end(answer.text)
  })
  opened.push(server)
  const settings: HttpSettings = {
    base_url: server.url,
    auth: 'token_url' in auth ? { ...auth, token_url: `${server.url}/token` } : auth,
    operations: {
      refund: { method: 'POST', path: '/', completion: { poll: ends, callback: ends, statuses: [202] } },
    },
    lookup: { method: 'GET', path: '/', executed: [200] },
  }
  const around = surroundings({ secrets: new Map([['ACTUATOR_SHOP', secret]]) })
  const actuator = httpActuator('shop', settings, around)
  const invocation = invocationOf({ operation: 'refund', callback_url })
  const says = (status: number, text: string) => {
    answer = { status, text }
  }
  return {
    body,
    server,
    call(status: number, text = JSON.stringify(body)) {
      says(status, text)
      return actuator.invoke(invocation)
    },
    poll(more: object) {
      says(200, JSON.stringify({ ...body, ...more }))
      const dispatched = { url: `${server.url}/7`, interval_ms: 1, deadline_ms: 1 }
      return actuator.poll?.(dispatched, invocation) ?? Promise.reject(new Error('no poll'))
    },
    lookUp(status: number) {
      says(status, JSON.stringify(body))
      return actuator.lookup?.(invocation) ?? Promise.reject(new Error('no look-up'))
    },
    async callBack(more: object) {
      await this.call(202)
      const called = { tenant_id: 'acme', operation: 'refund', callback_url, isLast: false }
      return actuator.calledBack?.({ ...called, body: { ...repeating([secret, token, proof]), ...more } })
    },
  }
}

/** A token that was never sent is no secret of this registration. */
const sentBy = (auth: HttpAuth): string[] => ('token_url' in auth ? [secret, token, proof] : [secret, proof])

describe.each(Object.entries(ways))('%s', (_, way) => {
  it.each(Object.entries(kinds))('tells no form of what is sent as %s', async (_kind, auth) => {
    const told = JSON.stringify(await way(await open(auth)))
    expect(leaksIn(told, sentBy(auth))).toEqual([])
    expect(told.length).toBeGreaterThan(50)
  })
})

it('a signature that is repeated is not told', async () => {
  const bed = await open(kinds.hmac as HttpAuth)
  await bed.call(200)
  const [, signature = ''] = String(bed.server.seen[0]?.headers['webhook-signature']).split(',')
  const told = JSON.stringify(await bed.call(200, JSON.stringify({ signature })))
  expect(told).not.toContain(signature)
})

describe('a token endpoint that repeats what it was sent', () => {
  const written = Object.entries(repeatedForms)
  it.each(written.flatMap(([form]) => ['basic', 'post'].map(as => [form, as] as const)))(
    'tells no secret as %s of %s',
    async (form, client_authentication) => {
      const server = await startDownstream((seen, response) => {
        const echoed = `${repeatedForms[form]?.(secret)} ${seen.headers.authorization ?? ''} ${seen.body}`
        const error = { error: 'invalid_client', error_description: echoed }
        response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify(error))
      })
      opened.push(server)
      const auth = {
        ...(kinds.client_basic as object),
        token_url: `${server.url}/token`,
        client_authentication,
      }
      const operations = { refund: { method: 'POST', path: '/' } }
      const settings = { base_url: server.url, auth, operations } as unknown as HttpSettings
      const around = surroundings({ secrets: new Map([['ACTUATOR_SHOP', secret]]) })
      const outcome = await httpActuator('shop', settings, around).invoke(
        invocationOf({ operation: 'refund' }),
      )
      expect(outcome).toMatchObject({ class: 'retry', code: 'token_refused' })
      expect(leaksIn(JSON.stringify(outcome), [secret])).toEqual([])
    },
  )
})

describe('a server of tools that repeats what it was sent', () => {
  const complete = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' }
  const discovered = {
    ...complete,
    supportedVersions: ['2026-07-28'],
    capabilities: { tools: {} },
    _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'raw', version: '1' } },
  }

  async function answered(call: object, polled: object = {}) {
    const server = await serveRawMcp({
      tool: refundTool,
      call: () => call as { result: never },
      before(method, response, { id }) {
        if (method === 'server/discover') return answerWith(response, id, discovered)
        if (method === 'tools/list') return answerWith(response, id, { ...complete, tools: [refundTool] })
        return method === 'tasks/get' ? answerWith(response, id, { ...complete, ...polled }) : false
      },
    })
    opened.push(server)
    const bearer = { env: 'ACTUATOR_SHOP' }
    const transport = { type: 'streamable_http', url: server.url, bearer } as const
    const bed = callerOf(transport, {}, { secrets: new Map([['ACTUATOR_SHOP', mcpSecret]]) })
    opened.push(bed.around.mcpSessions)
    return bed.call('ch_1')
  }

  const mcpSecret = secret
  it.each(Object.entries(repeatedForms))('tells it nowhere as %s', async (_, form) => {
    const said = form(mcpSecret)
    const task = { taskId: said, status: 'working', pollIntervalMs: 20 }
    const outcomes = [
      await answered({
        result: { ...complete, content: [{ type: 'text', text: said }], structuredContent: { said } },
      }),
      await answered({ result: { ...complete, isError: true, content: [{ type: 'text', text: said }] } }),
      await answered({ error: { code: -32000, message: said } }),
      await answered({ result: { resultType: 'task', ...task } }, { ...task, status: 'cancelled' }),
      await answered(
        { result: { resultType: 'task', ...task } },
        { ...task, status: 'input_required', said },
      ),
    ]
    expect(outcomes.map(outcome => leaksIn(JSON.stringify(outcome), [mcpSecret]))).toEqual(
      outcomes.map(() => []),
    )
    expect(outcomes[3]).toMatchObject({ class: 'unknown', body: { status: 'cancelled' } })
  })
})
