import { describe, expect, it } from 'vitest'
import type { Answer } from '../../../shared/actuator/exchange.ts'
import { readOutcome } from '../../../shared/actuator/http/read-answer.ts'
import { redacting } from '../../../shared/actuator/recorded-text.ts'
import { effectiveAnswers } from '../../../shared/contract/configuration/answer-presets.ts'
import {
  type HttpSettings,
  httpSettingsSchema,
} from '../../../shared/contract/configuration/http-actuator-schema.ts'

type Stated = Partial<HttpSettings['operations'][string]>
type Given = { status?: number; headers?: Answer['headers']; body?: string | object }

function judge(stated: Stated, { status = 200, headers = {}, body = '' }: Given, registration: object = {}) {
  const settings = httpSettingsSchema.parse({
    base_url: 'https://crm.example',
    ...registration,
    operations: { refund: { method: 'POST', path: '/', ...stated } },
  })
  const operation = settings.operations.refund as HttpSettings['operations'][string]
  const { idempotency = 'none' } = settings
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return readOutcome(
    { kind: 'answered', answer: { status, headers, body: Buffer.from(text) } },
    { ...effectiveAnswers(settings, operation), method: 'POST', own: operation, idempotency },
    redacting(settings, new Map()),
  )
}

describe('a rule', () => {
  it.each<[string, Stated, Given, object]>([
    [
      'about a header',
      { success_when: { header: 'X-State', equals: 'done' } },
      { headers: { 'x-state': 'done' } },
      { class: 'ok', rule: 'success_when' },
    ],
    [
      'about a header that came twice',
      { failed_when: { header: 'X-State', one_of: ['void', 'gone'] } },
      { headers: { 'x-state': ['kept', 'gone'] } },
      { class: 'failed', rule: 'failed_when', code: 'failed_as_stated' },
    ],
    [
      'about a header that is not there',
      { failed_when: { header: 'X-Receipt', missing: true } },
      { body: { id: 7 } },
      { class: 'failed', rule: 'failed_when' },
    ],
    [
      'about a status of its own',
      { success_when: [{ status: [200] }, { status: [409], path: 'code', equals: 'already_done' }] },
      { status: 409, body: { code: 'already_done' } },
      { class: 'ok', rule: 'success_when[1]', detail: { status: 409, body: { code: 'already_done' } } },
    ],
    [
      'about an error that asks to come later',
      { busy_when: { status: [400], path: 'errors.0.code', equals: 'THROTTLED' } },
      { status: 400, headers: { 'retry-after': '3' }, body: { errors: [{ code: 'THROTTLED' }] } },
      { class: 'busy', rule: 'busy_when', code: 'busy_as_stated', retry_after_ms: 3_000 },
    ],
    [
      'about a state of the lock',
      {
        busy_when: {
          status: [409],
          all_of: [
            { path: 'locked', equals: true },
            { header: 'X-Lock', present: true },
          ],
        },
      },
      { status: 409, headers: { 'x-lock': 'crm' }, body: { locked: true } },
      { class: 'busy', rule: 'busy_when' },
    ],
    [
      'about an empty body',
      { failed_when: { body: 'empty' } },
      {},
      { class: 'failed', rule: 'failed_when', message: 'status 200, and failed_when says that it failed' },
    ],
    [
      'about a body of JSON',
      { success_when: { body: 'json' } },
      { body: {} },
      { class: 'ok', rule: 'success_when' },
    ],
    [
      'about a member that is null',
      { success_when: { path: 'error', missing: false } },
      { body: { error: null } },
      { class: 'ok' },
    ],
    [
      'about the length of an array, which is no member',
      { failed_when: { path: 'errors.length', present: true } },
      { body: { errors: [1] } },
      { class: 'ok', rule: 'status.done' },
    ],
    [
      'that another contradicts',
      { busy_when: { path: 'wait', present: true }, failed_when: { path: 'error', present: true } },
      { body: { wait: 1, error: 1 } },
      { class: 'unknown', code: 'contradictory_answer', rule: 'failed_when, busy_when' },
    ],
  ])('%s decides', (_name, stated, given, expected) => {
    expect(judge(stated, given)).toMatchObject(expected)
  })

  it.each<[string, Stated, Given, object]>([
    [
      'of failure about an error of the server',
      { failed_when: { path: 'error', present: true } },
      { status: 500, body: { error: 'x' } },
      { class: 'unknown', code: 'http_500', rule: 'status.unknown' },
    ],
    [
      'of success about a refusal',
      { success_when: { path: 'ok', equals: true } },
      { status: 422, body: { ok: true } },
      { class: 'failed', code: 'http_422', rule: 'status.refused' },
    ],
    [
      'of being busy about 500',
      { busy_when: { header: 'X-Busy', present: true } },
      { status: 500, headers: { 'x-busy': '1' } },
      { class: 'unknown' },
    ],
  ])('%s holds for no status beside those named', (_name, stated, given, expected) => {
    expect(judge(stated, given)).toMatchObject(expected)
  })

  it.each([400, 409, 422, 429])('that names %i as success lets it prove no refusal', status => {
    const stated: Stated = {
      success_when: [{ status: [200] }, { status: [status], path: 'id', present: true }],
    }
    expect(judge(stated, { status, body: { id: 7 } })).toMatchObject({ class: 'ok' })
    expect(judge(stated, { status, body: {} })).toMatchObject({ class: 'unknown', code: `http_${status}` })
  })

  it('comes before a status that is listed', () => {
    const stated: Stated = {
      statuses: { refused: [409] },
      success_when: { status: [409], path: 'code', equals: 'already_done' },
    }
    expect(judge(stated, { status: 409, body: { code: 'already_done' } })).toMatchObject({ class: 'ok' })
    expect(judge(stated, { status: 409, body: { code: 'other' } })).toMatchObject({
      class: 'failed',
      rule: 'statuses.refused',
    })
  })

  it.each(['', '<html>', '{"ok":tr', '{"ok":1,"ok":2}'])('about members proves nothing by %j', body => {
    const failed: Stated = { failed_when: { path: 'ok', equals: 1 } }
    expect(judge(failed, { body }).class).not.toBe('failed')
    const absent: Stated = { failed_when: { status: [500], path: 'ok', missing: true } }
    expect(judge(absent, { status: 500, body }).class).toBe(body === '' ? 'failed' : 'unknown')
  })

  it('of success makes no result of a body that is not JSON', () => {
    const stated: Stated = { success_when: { header: 'X-State', equals: 'done' } }
    const given = { headers: { 'x-state': 'done' }, body: 'done' }
    expect(judge(stated, given)).toMatchObject({ class: 'unknown', code: 'invalid_response' })
    expect(judge({ ...stated, response: 'ignored' }, given)).toMatchObject({ class: 'ok' })
    expect(judge({ ...stated, response: 'ignored' }, { body: 'done' })).toMatchObject({
      class: 'unknown',
      code: 'success_not_stated',
    })
  })
})

describe('the preset', () => {
  const request = { errors: [{ message: 'syntax' }] }
  it.each<[string, string, Given, object]>([
    ['rest', 'anything', { body: { errors: [1] } }, { class: 'ok', rule: 'status.done' }],
    ['webhook', 'a text', { body: 'ok' }, { class: 'ok', rule: 'status.done' }],
    [
      'webhook',
      'an error of the server',
      { status: 500, body: 'ok' },
      { class: 'unknown', rule: 'status.unknown' },
    ],
    ['graphql', 'data', { body: { data: { id: 7 } } }, { class: 'ok', rule: 'preset.graphql.success_when' }],
    [
      'graphql',
      'no errors',
      { body: { data: { id: 7 }, errors: [] } },
      { class: 'ok', rule: 'preset.graphql.success_when' },
    ],
    [
      'graphql',
      'errors before execution',
      { body: request },
      { class: 'failed', rule: 'preset.graphql.failed_when' },
    ],
    [
      'graphql',
      'errors of a field',
      { body: { ...request, data: { refund: null } } },
      { class: 'unknown', rule: 'preset.graphql.success_when' },
    ],
    [
      'graphql',
      'errors that took all data',
      { body: { ...request, data: null } },
      { class: 'unknown', rule: 'preset.graphql.success_when' },
    ],
    ['graphql', 'nothing', {}, { class: 'unknown', rule: 'preset.graphql.success_when' }],
    ['graphql', 'a page', { body: '<html>' }, { class: 'unknown', rule: 'response' }],
    ['graphql', 'a refusal', { status: 400, body: request }, { class: 'failed', rule: 'status.refused' }],
    [
      'json_rpc',
      'a result',
      { body: { result: { id: 7 }, id: 1 } },
      { class: 'ok', rule: 'preset.json_rpc.success_when' },
    ],
    [
      'json_rpc',
      'a result of null',
      { body: { result: null } },
      { class: 'ok', rule: 'preset.json_rpc.success_when' },
    ],
    [
      'json_rpc',
      'a method that is not there',
      { body: { error: { code: -32601 } } },
      { class: 'failed', rule: 'preset.json_rpc.failed_when' },
    ],
    [
      'json_rpc',
      'an error of the method',
      { body: { error: { code: -32000 } } },
      { class: 'unknown', rule: 'preset.json_rpc.success_when' },
    ],
    [
      'json_rpc',
      'both',
      { body: { result: 1, error: { code: -32601 } } },
      { class: 'unknown', rule: 'preset.json_rpc.success_when' },
    ],
  ])('%s reads %s', (preset, _name, given, expected) => {
    const inherited = judge({}, given, { preset })
    expect(inherited).toMatchObject(expected)
    expect(judge({ preset } as Stated, given)).toEqual(inherited)
  })

  it('gives way to a rule of the operation, member by member', () => {
    const stated: Stated = { preset: 'graphql', failed_when: { path: 'errors.0', present: true } }
    expect(judge(stated, { body: { ...request, data: null } })).toMatchObject({
      class: 'failed',
      rule: 'failed_when',
    })
    expect(judge(stated, { body: { data: 1 } })).toMatchObject({ rule: 'preset.graphql.success_when' })
  })
})

describe('a registration', () => {
  const refused = (stated: object, registration: object = {}) =>
    httpSettingsSchema
      .safeParse({
        base_url: 'https://crm.example',
        ...registration,
        operations: { refund: { method: 'POST', path: '/', ...stated } },
      })
      .error?.issues.map(({ message }) => message)

  it.each([
    { path: 'a', header: 'B', equals: 1 },
    { path: 'a' },
    { equals: 1 },
    { path: 'a', equals: 1, present: true },
    { body: 'empty', equals: 1 },
    { all_of: [{ path: 'a', equals: 1 }], path: 'b', present: true },
    { all_of: [] },
    { status: [] },
    {},
  ])('is refused with rule %#', failed_when => {
    expect(refused({ failed_when })).toHaveLength(1)
  })

  it('is refused where a rule judges members of a body that the preset ignores', () => {
    const judging = { failed_when: { path: 'error', present: true } }
    const told = ['its rules judge members of the body, which is ignored']
    expect(refused(judging, { preset: 'webhook' })).toEqual(told)
    expect(refused({ ...judging, response: 'ignored' })).toEqual(told)
    expect(refused({ ...judging, response: 'json' }, { preset: 'webhook' })).toBeUndefined()
    expect(refused({ failed_when: { header: 'X', equals: 'y' } }, { preset: 'webhook' })).toBeUndefined()
  })
})
