import type { ServerResponse } from 'node:http'
import { afterEach, describe, expect, it } from 'vitest'
import { httpActuator } from '../../../shared/actuator/http/http-actuator.ts'
import { invoke } from '../../../shared/actuator/invoke.ts'
import type { Outcome } from '../../../shared/contract/configuration/actuator-schema.ts'
import type { HttpSettings } from '../../../shared/contract/configuration/http-actuator-schema.ts'
import { version } from '../../../shared/runtime/version.ts'
import { invocationOf, surroundings } from '../../support/fixtures/actuator-surroundings.ts'
import { type Downstream, startDownstream } from '../../support/fixtures/http-downstream.ts'

let server: Downstream | undefined
afterEach(() => server?.close())

type Operation = HttpSettings['operations'][string]

async function answered(
  operation: Operation,
  answer: (response: ServerResponse) => void,
  more: Partial<HttpSettings> = {},
) {
  server = await startDownstream((_, response) => answer(response))
  const settings = { base_url: server.url, timeout_ms: 300, operations: { read: operation }, ...more }
  const outcome = await invoke(
    httpActuator('crm', settings, surroundings({})),
    invocationOf({ operation: 'read' }),
  )
  await server.close()
  return outcome as Outcome
}

const doubtful: Record<string, (response: ServerResponse) => void> = {
  'a status of 500': response => void response.writeHead(500).end(),
  'a redirect': response => void response.writeHead(302, { location: '/' }).end(),
  'an answer that is cut': response => {
    response.writeHead(200, { 'content-length': '100' }).write('{"a":')
    setImmediate(() => response.destroy())
  },
  'no answer': () => undefined,
  'a broken connection': response => response.destroy(),
  'a body that is no JSON': response => void response.end('<html>'),
}

describe('a read', () => {
  it.each(Object.entries(doubtful))(
    'is tried again after %s, where anything else is unknown',
    async (_, answer) => {
      expect(await answered({ method: 'GET', path: '/' }, answer)).toMatchObject({ class: 'retry' })
      expect(await answered({ method: 'POST', path: '/' }, answer)).toMatchObject({ class: 'unknown' })
      const unsafe = { method: 'GET', path: '/', idempotency: 'none' } as const
      expect(await answered(unsafe, answer)).toMatchObject({ class: 'unknown' })
    },
  )

  it('counts without its body where that is too large, and says so', async () => {
    const large = (response: ServerResponse) => void response.end(JSON.stringify('x'.repeat(5_000)))
    const bound = { max_response_bytes: 1_000 }
    expect(await answered({ method: 'GET', path: '/' }, large, bound)).toEqual({
      class: 'ok',
      detail: { status: 200, omitted: 'too_large' },
      rule: 'status.done',
    })
    expect(await answered({ method: 'POST', path: '/' }, large, bound)).toMatchObject({ class: 'unknown' })
  })

  it('whose body a rule has to judge is tried again where that is too large', async () => {
    const large = (response: ServerResponse) => void response.end(JSON.stringify({ a: 'x'.repeat(5_000) }))
    const judged = { method: 'GET', path: '/', failed_when: { path: 'error', present: true } } as const
    expect(await answered(judged, large, { max_response_bytes: 1_000 })).toMatchObject({ class: 'retry' })
  })
})

describe('an answer', () => {
  it.each([400, 401, 403, 404, 405, 409, 411, 412, 413, 414, 415, 417, 421, 422, 426, 428, 431, 501, 505])(
    'of %i is a refusal',
    async status => {
      const answer = (response: ServerResponse) => void response.writeHead(status).end()
      expect(await answered({ method: 'POST', path: '/' }, answer)).toMatchObject({
        class: 'failed',
        code: `http_${status}`,
      })
    },
  )

  it.each([
    ['rest', [402, 406, 410, 451], []],
    ['webhook', [402, 410, 451], [406]],
    ['graphql', [402, 406, 451], [410]],
    ['json_rpc', [402, 406, 451], [410]],
  ] as const)('of an API of the kind %s refuses with %j', async (preset, refused, other) => {
    const classOf = async (status: number) => {
      const answer = (response: ServerResponse) => void response.writeHead(status).end()
      return (await answered({ method: 'POST', path: '/' }, answer, { preset })).class
    }
    for (const status of refused) expect([status, await classOf(status)]).toEqual([status, 'failed'])
    for (const status of other) expect([status, await classOf(status)]).toEqual([status, 'unknown'])
  })
})

describe('a request', () => {
  it('says who asks and what it takes, unless its registration does', async () => {
    const headersOf = async (more: Partial<HttpSettings>) => {
      await answered({ method: 'POST', path: '/' }, response => void response.end(), more)
      return server?.seen[0]?.headers
    }
    expect(await headersOf({})).toMatchObject({
      'user-agent': `action-gate/${version}`,
      accept: 'application/json, */*;q=0.5',
    })
    const own = { 'User-Agent': 'ours', Accept: 'application/xml' }
    expect(await headersOf({ headers: own })).toMatchObject({
      'user-agent': 'ours',
      accept: 'application/xml',
    })
  })
})
