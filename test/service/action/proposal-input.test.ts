import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Problem } from '../../../shared/contract/base/errors.ts'
import { refusedTexts } from '../../cases/strict-json.ts'
import type { Call } from '../../support/service/http.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import { proposal, type TestTenant } from '../../support/service/tenant.ts'
import { short } from '../../support/short.ts'

let service: TestService
let tenant: TestTenant

beforeAll(async () => {
  service = await startService({
    worker: null,
    env: { SERVICE_BODY_LIMIT: '64k', SERVICE_SUBMIT_WAIT_MS: '0' },
  })
  tenant = await service.tenant()
})

afterAll(() => service.close())

function post(call: Call) {
  return service.call<Problem>('POST', '/v1/actions', { key: tenant.agent, ...call })
}

/** A proposal with the member at a dot path set, or removed where there is no value. */
function changed(path: string, value?: unknown): object {
  const whole = structuredClone(proposal()) as unknown as Record<string, unknown>
  const steps = path.split('.')
  const last = steps.pop() ?? ''
  const parent = steps.reduce((at, step) => at[step] as Record<string, unknown>, whole)
  if (value === undefined) delete parent[last]
  else parent[last] = value
  return whole
}

/** A body with `text` as the value of one parameter. */
function withParameter(text: string): string {
  return JSON.stringify(proposal()).replace('"contact":42', `"contact":${text}`)
}

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)

describe('a body that JSON.parse would read with a loss, or not at all', () => {
  const sent = refusedTexts.filter(({ text }) => text.length > 0 && text.length < 60_000)

  it.each(sent.map(({ text, code }) => [short(JSON.stringify(text), 40), code, text] as const))(
    '%s is refused as %s',
    async (_name, code, text) => {
      const { status, body } = await post({ raw: Buffer.from(text) })
      expect({ status, code: body.code, reason: body.errors?.[0]?.code }).toEqual({
        status: 400,
        code: 'malformed_json',
        reason: code,
      })
    },
  )

  it.each([
    ['a name twice', '{"a":1,"a":2}', 'action.parameters.contact.a'],
    ['a name twice after unescaping', '{"a":1,"\\u0061":2}', 'action.parameters.contact.a'],
    ['__proto__', '{"__proto__":{"admin":true}}', 'action.parameters.contact.__proto__'],
    ['an integer beyond 2^53-1', '9007199254740992', 'action.parameters.contact'],
    ['1e400', '1e400', 'action.parameters.contact'],
    ['half of a surrogate pair', '"\\ud800"', 'action.parameters.contact'],
    ['U+0000', '"\\u0000"', 'action.parameters.contact'],
  ])('%s inside a proposal is refused with its path', async (_name, text, path) => {
    const { status, body } = await post({ raw: withParameter(text) })
    expect({ status, paths: body.errors?.map(error => error.path) }).toEqual({ status: 400, paths: [path] })
  })

  it('deep nesting is refused, however deep', async () => {
    const deep = await post({ raw: withParameter(nested(100)) })
    expect([deep.status, deep.body.code]).toEqual([400, 'malformed_json'])
    const bomb = await post({ raw: nested(30_000) })
    expect([bomb.status, bomb.body.code]).toEqual([400, 'malformed_json'])
  })
})

describe('a proposal that does not meet its schema', () => {
  const wrong: [string, unknown][] = [
    ['proposal_id', undefined],
    ['proposal_id', ''],
    ['proposal_id', 7],
    ['proposal_id', '-first'],
    ['proposal_id', 'a b'],
    ['proposal_id', 'a\n'],
    ['proposal_id', 'é'],
    ['proposal_id', 'x'.repeat(201)],
    ['actor', undefined],
    ['actor', []],
    ['actor', null],
    ['actor.agent_id', undefined],
    ['actor.agent_id', ''],
    ['actor.agent_id', 'x'.repeat(201)],
    ['actor.run_id', ''],
    ['actor.run_id', null],
    ['summary', undefined],
    ['summary', ''],
    ['summary', 'x'.repeat(2_001)],
    ['action', undefined],
    ['action.target_system', undefined],
    ['action.target_system', '../etc'],
    ['action.operation', undefined],
    ['action.operation', 'a;b'],
    ['action.parameters', undefined],
    ['action.parameters', []],
    ['action.parameters', 'none'],
    ['action.parameters', null],
    ['action.rollback_plan', 'x'.repeat(4_001)],
    ['risk', undefined],
    ['risk.level', undefined],
    ['risk.level', 'none'],
    ['risk.level', 'LOW'],
    ['risk.blast_radius', 'x'.repeat(1_001)],
  ]
  it.each(wrong.map(([path, value]) => [path, short(String(JSON.stringify(value)), 40), value] as const))(
    '%s may not be %s',
    async (path, _, value) => {
      const { status, body } = await post({ json: changed(path, value) })
      expect({ status, code: body.code }).toEqual({ status: 400, code: 'validation_failed' })
      const paths = body.errors?.map(error => error.path) ?? []
      expect(paths.filter(found => !found.startsWith(path))).toEqual([])
      expect(paths).not.toEqual([])
    },
  )

  it.each(['status', 'tenant_id', 'actor.key_id', 'action.action', 'risk.score', 'constructor'])(
    'an unknown field %s is named',
    async path => {
      const { status, body } = await post({ json: changed(path, 'x') })
      expect({ status, errors: body.errors?.map(({ path, code }) => ({ path, code })) }).toEqual({
        status: 400,
        errors: [{ path, code: 'unknown_field' }],
      })
    },
  )

  it('has every problem named at once', async () => {
    const { body } = await post({ json: { proposal_id: '', extra: 1, risk: { level: 'x' } } })
    expect(body.errors?.map(({ path }) => path).sort()).toEqual([
      'action',
      'actor',
      'extra',
      'proposal_id',
      'risk.level',
      'summary',
    ])
  })

  it('parameters may be 32 levels deep and hold 2,000 values, and no more', async () => {
    const depth = (levels: number) => withParameter(nested(levels - 1))
    const values = (count: number) =>
      withParameter(JSON.stringify(Array.from({ length: count - 1 }, () => 0)))
    const statuses = async (bodies: string[]) =>
      (await Promise.all(bodies.map(raw => post({ raw })))).map(({ status }) => status)
    expect(await statuses([depth(32), values(2_000)])).toEqual([202, 202])
    expect(await statuses([depth(33), values(2_001)])).toEqual([400, 400])
  })

  it.each(['[]', '"text"', '7', 'null', 'true'])('%s is no proposal', async raw => {
    const { status, body } = await post({ raw })
    expect({ status, code: body.code }).toEqual({ status: 400, code: 'validation_failed' })
  })

  it('takes every character that an identifier may have, and texts in any script', async () => {
    const identifier = 'Az09._:@/-'
    const json = proposal({ proposal_id: identifier, summary: 'résumé 表 😀 \u202e', operation: identifier })
    expect((await post({ json })).status).toBe(202)
  })
})

describe('the body', () => {
  it('that is empty lacks every field', async () => {
    const { status, body } = await service.call<Problem>('POST', '/v1/actions', { key: tenant.agent })
    expect({ status, code: body.code }).toEqual({ status: 400, code: 'validation_failed' })
  })

  it.each([false, true])('beyond the limit is refused (chunked: %s)', async chunked => {
    const raw = JSON.stringify(proposal({ summary: 'x'.repeat(70_000) }))
    const { status, body } = await post({ raw, chunked })
    expect({ status, code: body.code }).toEqual({ status: 413, code: 'body_too_large' })
  })

  it('of exactly the limit is read', async () => {
    const text = withParameter('"x"')
    const raw = text.padEnd(64 * 1024, ' ')
    expect((await post({ raw })).status).toBe(202)
    expect((await post({ raw: `${raw} ` })).status).toBe(413)
  })

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/json; charset=latin1',
    'application/json; charset=utf-16',
    'application/jsonp',
    'application/problem+json',
    'text/json',
  ])('as %s is refused', async type => {
    const { status, body } = await post({ json: proposal(), headers: { 'content-type': type } })
    expect({ status, code: body.code }).toEqual({ status: 415, code: 'unsupported_media_type' })
  })

  it.each([
    'application/json',
    'Application/JSON',
    'application/json;charset=UTF-8',
    'application/json; charset="utf-8"',
  ])('as %s is read', async type => {
    expect((await post({ json: proposal(), headers: { 'content-type': type } })).status).toBe(202)
  })

  it.each(['gzip', 'deflate', 'br'])('compressed with %s is refused', async encoding => {
    const raw = gzipSync(JSON.stringify(proposal()))
    const { status, body } = await post({ raw, headers: { 'content-encoding': encoding } })
    expect({ status, code: body.code }).toEqual({ status: 415, code: 'unsupported_media_type' })
  })
})

it('nothing of a refused body is stored', async () => {
  const refused = 'refused-and-not-stored'
  await post({ json: { ...changed('proposal_id', refused), extra: 1 } })
  await post({ raw: withParameter('1e400').replace(/p-[0-9a-f]+/, refused) })
  const accepted = await tenant.submit({ proposal_id: refused, summary: 'the first that is stored' })
  expect(accepted.status).toBe(202)
})
