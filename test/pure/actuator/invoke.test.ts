import { describe, expect, it, vi } from 'vitest'
import type { Actuator, Invocation } from '../../../shared/actuator/actuator.ts'
import { invoke } from '../../../shared/actuator/invoke.ts'
import { createRegistry, mockActuator } from '../../../shared/actuator/registry.ts'
import type { Outcome } from '../../../shared/contract/configuration/actuator-schema.ts'
import { invocationOf, surroundings } from '../../support/fixtures/actuator-surroundings.ts'

const ok: Outcome = { class: 'ok', detail: { id: 1 } }

function invocation(signal: AbortSignal = new AbortController().signal): Invocation {
  return invocationOf({ signal })
}

function actuator(answer: () => unknown): Actuator {
  return { name: 'crm', idempotency: 'none', invoke: async () => (await answer()) as Outcome }
}

function circle(): Record<string, unknown> {
  const value: Record<string, unknown> = {}
  value.self = value
  return value
}

function nested(levels: number): unknown {
  return Array.from({ length: levels }).reduce<object>(inner => ({ inner }), {})
}

describe('invoking an actuator', () => {
  it.each([
    ok,
    { class: 'failed', code: 'refused', message: 'no' },
    { class: 'retry', code: 'busy', message: '' },
    { class: 'unknown', code: 'cut', message: 'x' },
  ] as Outcome[])('passes on $class', async outcome => {
    expect(
      await invoke(
        actuator(() => outcome),
        invocation(),
      ),
    ).toEqual(outcome)
  })

  it.each([
    ['nothing', undefined],
    ['null', null],
    ['a text', 'ok'],
    ['an unknown class', { class: 'done', detail: {} }],
    ['ok without detail', { class: 'ok' }],
    ['failed without a code', { class: 'failed', message: 'no' }],
    ['a member too many', { ...ok, more: 1 }],
  ])('does not know what %s means', async (_name, answer) => {
    expect(
      await invoke(
        actuator(() => answer),
        invocation(),
      ),
    ).toMatchObject({
      class: 'unknown',
      code: 'invalid_outcome',
    })
  })

  it.each([
    ['JSON cannot say', { id: 1n }, 'not_json'],
    ['has a hole', { id: undefined }, 'not_json'],
    ['holds U+0000', { id: 'a\0b' }, 'nul_character'],
    ['holds half a character', { id: '\ud800' }, 'not_json'],
    ['holds itself', circle(), 'not_json'],
    ['was rounded', { id: 2 ** 60 }, 'number_out_of_range'],
    ['no reader would open', nested(60), 'too_deep'],
  ])('keeps that it was done where the result %s', async (_name, detail, omitted) => {
    const outcome = await invoke(
      actuator(() => ({ class: 'ok', detail })),
      invocation(),
    )
    expect(outcome).toEqual({ class: 'ok', detail: { omitted } })
  })

  it.each([
    ['is small', { reason: 'gone' }, { reason: 'gone' }],
    ['is large', { reason: 'gone '.repeat(2_000) }, undefined],
    ['holds U+0000', { reason: 'a\0b' }, undefined],
    ['JSON cannot say', { reason: 1n }, undefined],
  ])('keeps the body of a failure where it %s, or leaves it out', async (_name, body, kept) => {
    const failure = { class: 'failed', code: 'refused', message: 'no' }
    const outcome = await invoke(
      actuator(() => ({ ...failure, body })),
      invocation(),
    )
    expect(outcome).toEqual(kept === undefined ? failure : { ...failure, body: kept })
  })

  it('keeps a result of many levels that a reader of the export opens', async () => {
    const done = { class: 'ok', detail: nested(50) }
    expect(
      await invoke(
        actuator(() => done),
        invocation(),
      ),
    ).toEqual(done)
  })

  it('does not call once it is too late, whatever the signal says', async () => {
    let called = 0
    const outcome = await invoke(
      actuator(() => {
        called += 1
        return ok
      }),
      { ...invocation(), isLate: () => true },
    )
    expect(outcome).toMatchObject({ class: 'retry', code: 'not_sent' })
    expect(called).toBe(0)
  })

  it.each([
    ['an error', new Error('socket closed')],
    ['a text', 'socket closed'],
  ])('never calls %s that was thrown a failure', async (_name, thrown) => {
    const throwing = actuator(() => {
      throw thrown
    })
    expect(await invoke(throwing, invocation())).toEqual({
      class: 'unknown',
      code: 'actuator_threw',
      message: 'socket closed',
    })
  })

  it.each([
    ['nothing', undefined],
    ['an object without a prototype', Object.create(null)],
    ['a symbol', Symbol('s')],
    ['a text with U+0000', 'a\0b'],
  ])('survives that %s was thrown', async (_name, thrown) => {
    const outcome = await invoke(
      actuator(() => {
        throw thrown
      }),
      invocation(),
    )
    expect(outcome).toMatchObject({ class: 'unknown', code: 'actuator_threw' })
    expect(JSON.stringify(outcome)).not.toContain('\\u0000')
  })

  it.each(['\\u0000', 'C:\\\\u0000', 'a\\'])('keeps the text %j, which holds no U+0000', async text => {
    const done = { class: 'ok', detail: { text } }
    expect(
      await invoke(
        actuator(() => done),
        invocation(),
      ),
    ).toEqual(done)
  })

  it.each(['\0', '\\\0', 'a\\\\\0b'])('does not keep the text %j', async text => {
    const outcome = await invoke(
      actuator(() => ({ class: 'ok', detail: { text } })),
      invocation(),
    )
    expect(outcome).toEqual({ class: 'ok', detail: { omitted: 'nul_character' } })
  })

  it('keeps that it was done where the result is too large to keep', async () => {
    const outcome = await invoke(
      actuator(() => ({ class: 'ok', detail: { body: 'x'.repeat(10_000_000) } })),
      invocation(),
    )
    expect(outcome).toEqual({ class: 'ok', detail: { omitted: 'too_large', length: 10_000_011 } })
  })

  it('cuts an endless message', async () => {
    const throwing = actuator(() => {
      throw new Error('x'.repeat(10_000))
    })
    const outcome = await invoke(throwing, invocation())
    expect(outcome.class === 'unknown' && outcome.message.length).toBe(500)
  })

  it('comes back at the abort, whatever the actuator does, and does not know', async () => {
    const controller = new AbortController()
    const hanging = invoke(
      actuator(() => new Promise(() => undefined)),
      invocation(controller.signal),
    )
    controller.abort(new Error('the lease was lost'))
    expect(await hanging).toEqual({
      class: 'unknown',
      code: 'no_answer_in_time',
      message: 'the lease was lost',
    })
  })

  it('does not call at all after the abort: nothing was sent', async () => {
    const called = vi.fn(() => ok)
    const outcome = await invoke(actuator(called), invocation(AbortSignal.abort(new Error('too late'))))
    expect(outcome).toEqual({ class: 'retry', code: 'not_sent', message: 'too late' })
    expect(called).not.toHaveBeenCalled()
  })
})

describe('the mock', () => {
  it('is a dry run that says what it would have done', async () => {
    expect(await mockActuator('crm', {}).invoke(invocation())).toEqual({
      class: 'ok',
      detail: { executed: 'read', target: 'crm', dry_run: true },
    })
  })

  it.each(['failed', 'retry', 'unknown'] as const)('plays %s', async outcome => {
    expect(await mockActuator('crm', { outcome }).invoke(invocation())).toMatchObject({
      class: outcome,
      code: `mock_${outcome}`,
    })
  })

  it('plays an exception', async () => {
    const outcome = await invoke(mockActuator('crm', { outcome: 'throw' }), invocation())
    expect(outcome).toMatchObject({ class: 'unknown', code: 'actuator_threw' })
  })

  it('stops its delay at the abort', async () => {
    const controller = new AbortController()
    const delayed = mockActuator('crm', { delay_ms: 60_000 }).invoke(invocation(controller.signal))
    controller.abort()
    await expect(delayed).rejects.toThrow('aborted')
  })

  it('honours the key unless told otherwise', () => {
    expect(mockActuator('crm', {}).idempotency).toBe('key_honoured')
    expect(mockActuator('crm', { idempotency: 'none' }).idempotency).toBe('none')
  })
})

describe('the registry', () => {
  const loaded = actuator(() => ok)
  const find = createRegistry(surroundings({ modules: [loaded] }))

  it('finds a mock by its settings and a module by its name', () => {
    const mock = find({ name: 'erp', kind: 'mock', settings: { idempotency: 'none' } })
    expect(mock).toMatchObject({ name: 'erp', idempotency: 'none' })
    const module = find({ name: 'crm', kind: 'module', settings: {} })
    expect(module).toMatchObject({ name: 'crm', idempotency: loaded.idempotency })
  })

  it('has no actuator of a kind that it does not know', () => {
    expect(find({ name: 'crm', kind: 'shell', settings: {} })).toMatchObject({
      code: 'actuator_not_available',
    })
  })

  it.each(['erp', 'constructor'])('lets jobs of the module %s wait, which was not loaded', async name => {
    const found = find({ name, kind: 'module', settings: {} })
    if ('code' in found) throw new Error(found.message)
    const message = `this worker cannot call ${name}: no file of its --actuators exports it`
    const lack = { code: 'actuator_not_available', message }
    expect(found.idempotency).toBe('none')
    expect(await invoke(found, invocation())).toEqual({ class: 'busy', ...lack, retry_after_ms: 60_000 })
    expect(await found.lookup?.(invocation())).toEqual({ found: 'unclear', ...lack })
  })

  const lacking = {
    http: {
      base_url: 'https://crm.example',
      auth: { type: 'bearer', token: { env: 'ACTUATOR_CRM' } },
      operations: {},
      lookup: { method: 'GET', path: '/', executed: [200] },
    },
    mcp: { transport: { type: 'stdio', server: 'crm' }, tools: {} },
    'mcp server': { transport: { type: 'stdio', server: 'needy' }, tools: {} },
  }

  it.each([
    ['http', 'secret_missing', 'ACTUATOR_CRM is not set'],
    ['mcp', 'mcp_server_missing', 'crm is not one of SERVICE_MCP_SERVERS'],
    ['mcp server', 'secret_missing', 'ACTUATOR_NEEDY is not set'],
  ] as const)('lets jobs wait for what the worker lacks: %s', async (name, code, words) => {
    const needy = { command: 'x', args: [], env: { TOKEN: { env: 'ACTUATOR_NEEDY' } } }
    const here = createRegistry(surroundings({ mcpServers: new Map([['needy', needy]]) }))
    const found = here({ name: 'crm', kind: name === 'http' ? 'http' : 'mcp', settings: lacking[name] })
    if ('code' in found) throw new Error(found.message)
    const message = `this worker cannot call crm: ${words}`
    expect(await invoke(found, invocation())).toEqual({
      class: 'busy',
      code,
      message,
      retry_after_ms: 60_000,
    })
    const finding = await found.lookup?.(invocation())
    expect(finding).toEqual(name === 'http' ? { found: 'unclear', code, message } : undefined)
  })
})
