import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { HttpRequest } from '../../../shared/actuator/exchange.ts'
import { fillRequest } from '../../../shared/actuator/http/http-actuator.ts'
import { planRequest } from '../../../shared/actuator/plan-request.ts'
import type { JsonObject } from '../../../shared/contract/base/json.ts'
import {
  type HttpSettings,
  httpSettingsSchema,
} from '../../../shared/contract/configuration/http-actuator-schema.ts'
import { invocationOf } from '../../support/fixtures/actuator-surroundings.ts'
import { readableJson } from '../../support/fixtures/json-arbitrary.ts'

type Template = HttpSettings['operations'][string]

function settingsOf(template: Partial<Template>): HttpSettings {
  const operation = { method: 'POST', path: '/refunds', ...template }
  return httpSettingsSchema.parse({ base_url: 'https://crm.example/v2', operations: { refund: operation } })
}

function fill(template: Partial<Template>, parameters: JsonObject): HttpRequest {
  const settings = settingsOf(template)
  const invocation = invocationOf({ operation: 'refund', parameters })
  return fillRequest(settings, settings.operations.refund as Template, { invocation, secrets: new Map() })
}

const typeOf = ({ headers }: HttpRequest): string => headers['content-type'] ?? ''
const partsOf = async (request: HttpRequest): Promise<[string, unknown][]> => {
  const read = new Response(request.body, { headers: { 'content-type': typeOf(request) } })
  return [...(await read.formData()).entries()]
}

describe('a body', () => {
  const body = {
    id: '{parameters.id}',
    note: 'for {parameters.id}',
    tags: '{parameters.tags}',
    n: 1,
    gone: '{parameters.gone}',
  }
  const parameters = { id: 'a&b=c', tags: ['x', 'y z'] }

  it('is a form', () => {
    const request = fill({ content: 'form', body }, parameters)
    expect(typeOf(request)).toBe('application/x-www-form-urlencoded')
    expect(request.body).toBe('id=a%26b%3Dc&note=for+a%26b%3Dc&tags=x&tags=y+z&n=1')
  })

  it.each([
    ['brackets', 'tags%5B%5D=x&tags%5B%5D=y'],
    ['comma', 'tags=x%2Cy'],
    ['repeat', 'tags=x&tags=y'],
  ] as const)('writes its arrays with %s', (arrays, expected) => {
    expect(fill({ content: 'form', arrays }, { tags: ['x', 'y'] }).body).toBe(expected)
  })

  it('has parts, the same for the same values', async () => {
    const request = fill({ content: 'multipart', body }, parameters)
    expect(await partsOf(request)).toEqual([
      ['id', 'a&b=c'],
      ['note', 'for a&b=c'],
      ['tags', 'x'],
      ['tags', 'y z'],
      ['n', '1'],
    ])
    expect(fill({ content: 'multipart', body }, parameters)).toEqual(request)
    expect(fill({ content: 'multipart', body }, { ...parameters, id: 'b' }).body).not.toBe(request.body)
  })

  it('is a text, of the type that a header says', () => {
    const template = { content: 'text', body: 'refund {parameters.id}' } as const
    expect(fill(template, { id: 7 })).toMatchObject({ body: 'refund 7' })
    expect(typeOf(fill(template, { id: 7 }))).toBe('text/plain; charset=utf-8')
    const headers = { 'Content-Type': 'application/x-ndjson' }
    expect(typeOf(fill({ ...template, headers }, { id: 7 }))).toBe('application/x-ndjson')
    expect(typeOf(fill({ content: 'form', headers }, { id: 7 }))).toBe('application/x-www-form-urlencoded')
  })

  it.each<[string, Partial<Template>, JsonObject]>([
    ['a line more in a text', { content: 'text', body: 'a {parameters.id} b' }, { id: 'x\ny' }],
    ['an object in a form', { content: 'form' }, { id: {} }],
    ['an array in an array in a form', { content: 'form' }, { id: [[1]] }],
    ['an array that is empty in a form', { content: 'form' }, { id: [] }],
    ['a comma in an item', { content: 'form', arrays: 'comma' }, { id: ['a,b'] }],
    ['an array for a text', { content: 'text', body: '{parameters.id}' }, { id: [1] }],
    ['an empty array in a query', { query: { id: '{parameters.id}' } }, { id: [] }],
    ['nothing in a query', { query: { id: '{parameters.id}' } }, {}],
    ['an object in an array of a query', { query: { id: '{parameters.id}' } }, { id: [{}] }],
  ])('or a query is not made of %s', (_name, template, parameters) => {
    expect(() => fill(template, parameters)).toThrow(
      expect.objectContaining({ code: 'request_not_renderable' }),
    )
  })

  it('has braces where they are written twice, and placeholders between them', () => {
    const template = {
      content: 'text',
      body: '{{ "id": "{parameters.id}", "of": {{{parameters.n}}} }}',
    } as const
    expect(fill(template, { id: '{{x}}', n: 7 }).body).toBe('{ "id": "{{x}}", "of": {7} }')
    const query = { filter: '{{{parameters.id}}}' }
    expect(fill({ query }, { id: 7 }).url.searchParams.get('filter')).toBe('{7}')
  })

  it('is shown to an approver as it is written', () => {
    const call = invocationOf({ operation: 'refund', parameters })
    const registration = { name: 'crm', kind: 'http', settings: settingsOf({ content: 'form', body }) }
    expect(planRequest(registration, call)).toMatchObject({
      kind: 'http',
      content: 'form',
      body: { id: 'a&b=c', tags: ['x', 'y z'], n: 1 },
    })
    const unsayable = { ...call, parameters: { ...parameters, tags: [[]] } }
    expect(planRequest(registration, unsayable)).toMatchObject({
      kind: 'none',
      code: 'request_not_renderable',
    })
  })
})

describe('a query', () => {
  it('has an array for a placeholder that is alone, and leaves out what may be missing', () => {
    const query = {
      id: '{parameters.ids}',
      fixed: ['a', '{parameters.one}'],
      page: '{parameters.page?}',
      of: '{parameters.of?}',
    }
    const { url } = fill({ query }, { ids: [1, 'b&c'], one: 'x', of: 7 })
    expect(url.search).toBe('?id=1&id=b%26c&fixed=a&fixed=x&of=7')
  })

  it('and a header are left out where the value is missing, null or an empty array', () => {
    const template = { query: { a: '{parameters.a?}' }, headers: { 'X-A': '{parameters.a?}' } }
    for (const a of [undefined, null, []]) {
      const { url, headers } = fill(template, a === undefined ? {} : { a })
      expect(url.search).toBe('')
      expect(headers).not.toHaveProperty('x-a')
    }
    expect(fill(template, { a: 'b' }).headers).toMatchObject({ 'x-a': 'b' })
  })
})

describe('a registration', () => {
  it.each<[string, object]>([
    ['a text for a form', { content: 'form', body: 'a' }],
    ['an object in a form', { content: 'multipart', body: { a: { b: 1 } } }],
    ['an object for a text', { content: 'text', body: {} }],
    ['no body for a text', { content: 'text' }],
    ['a header that frames the message', { headers: { 'transfer-Encoding': 'chunked' } }],
    ['a host of its own', { headers: { Host: '{parameters.a}' } }],
    ['a brace alone', { body: { a: 'b { c' } }],
    ['three braces', { body: { a: 'b }}} c' } }],
    ['an optional part of a path', { path: '/{parameters.a?}' }],
    ['an optional part of a text', { query: { a: 'b{parameters.a?}' } }],
  ])('is refused with %s', (_name, template) => {
    const operations = { refund: { method: 'POST', path: '/', ...template } }
    expect(httpSettingsSchema.safeParse({ base_url: 'https://crm.example', operations }).success).toBe(false)
  })
})

describe('no value of a parameter', () => {
  const nasty = fc.constantFrom(
    ...[
      '..',
      '.',
      '/',
      '//evil.example',
      '\\',
      '?a=b',
      '#',
      '%2e%2e',
      '%2F',
      '@evil.example',
      ':80',
      '&x=y',
      ';',
    ],
    ...[
      '\r\nX-Admin: 1',
      '\n',
      '"; name="x"',
      '--part',
      '\r\n--',
      '=',
      '+',
      ',',
      '{parameters.b}',
      '\u2028',
      'é',
      '\ud83d\ude00',
    ],
  )
  const text = fc
    .array(fc.oneof(nasty, fc.string({ unit: 'binary', maxLength: 5 })), { maxLength: 5 })
    .map(parts => parts.join(''))
  const value = fc.oneof(
    { weight: 4, arbitrary: text },
    { weight: 1, arbitrary: fc.array(text, { maxLength: 3 }) },
    readableJson,
  )
  const parameters = fc.record({ a: value, b: value })
  const arrays = fc.constantFrom('repeat' as const, 'brackets' as const, 'comma' as const)
  const addressed = fc.record<Partial<Template>>({
    path: fc.constantFrom(
      '/refunds/{parameters.a}',
      '/a{parameters.a}/{parameters.b}/c',
      '/x-{parameters.b}',
    ),
    query: fc.constantFrom(
      { q: '{parameters.a}', fixed: ['1', 'for {action_id}'], o: '{parameters.b?}' },
      { fixed: ['1', 'for {parameters.b}'] },
    ),
    arrays,
  })
  const headed = fc.record<Partial<Template>>({
    headers: fc.constantFrom<Record<string, string>>(
      { 'X-A': '{parameters.a}', 'X-B': 'b {parameters.b}' },
      { 'X-C': '{parameters.b?}' },
    ),
  })
  const formed = fc.record<Partial<Template>>({
    arrays,
    content: fc.constantFrom('form' as const, 'multipart' as const),
    body: fc.constantFrom<JsonObject>(
      { a: '{parameters.a}', note: 'of {parameters.b}' },
      { only: 'x{parameters.a}' },
    ),
  })
  const without = (name: string): string => name.replace(/\[\]$/, '')

  /** Null where nothing would be sent. */
  const filled = (given: Partial<Template>, values: JsonObject): HttpRequest | null => {
    try {
      return fill(given, values)
    } catch (error) {
      expect(error).toMatchObject({ code: 'request_not_renderable' })
      return null
    }
  }

  /** How many requests are made of the values, each of which is looked at. */
  const each = async (
    given: fc.Arbitrary<Partial<Template>>,
    look: (request: HttpRequest, shown: Shown) => unknown,
  ) => {
    let made = 0
    const property = fc.asyncProperty(given, parameters, async (template, values) => {
      const request = filled(template, values)
      if (request === null) return
      made += 1
      await look(request, { template, values })
    })
    await fc.assert(property, { numRuns: 400 })
    return made
  }
  interface Shown {
    template: Partial<Template>
    values: JsonObject
  }

  it('changes the host, the segments or the query of a request', async () => {
    const made = await each(addressed, ({ url }, { template }) => {
      expect(url.origin).toBe('https://crm.example')
      expect([url.username, url.password, url.hash]).toEqual(['', '', ''])
      const read = new URL(url.href)
      expect(read.pathname.split('/')).toHaveLength(`/v2${template.path}`.split('/').length)
      expect(read.pathname.startsWith('/v2/')).toBe(true)
      for (const name of read.searchParams.keys()) expect(['q', 'fixed', 'o']).toContain(without(name))
      expect(read.searchParams.getAll('fixed')[0]).toBe('1')
    })
    expect(made).toBeGreaterThan(100)
  })

  it('changes which headers a request has', async () => {
    const made = await each(headed, ({ headers }) => {
      const fixed = ['traceparent', 'user-agent', 'accept', 'content-type', 'idempotency-key']
      const own = [...fixed, 'x-a', 'x-b', 'x-c']
      for (const [name, text] of Object.entries(headers)) {
        expect(own).toContain(name)
        expect(text).toMatch(/^[\t -~]*$/)
      }
    })
    expect(made).toBeGreaterThan(20)
  })

  it('adds a field to a form, or a part to parts', async () => {
    const made = await each(formed, async (request, { template: { body, arrays, content }, values }) => {
      const names = Object.keys(body as JsonObject)
      const entries =
        content === 'form' ? [...new URLSearchParams(request.body ?? '')] : await partsOf(request)
      for (const [name] of entries) expect(names).toContain(without(name))
      const items = Array.isArray(values.a) && arrays !== 'comma' ? values.a.length : 1
      expect(entries.length).toBeLessThanOrEqual(names.length - 1 + items)
    })
    expect(made).toBeGreaterThan(50)
  })

  it('adds a line to a text, or changes the members of a body in JSON', async () => {
    const written = fc.constantFrom<Partial<Template>>(
      { content: 'text', body: 'From: {parameters.a}\nTo: x{parameters.b}' },
      { body: { a: '{parameters.a}', note: 'of {parameters.b}', fixed: { c: 1 } } },
    )
    const made = await each(written, ({ body }, { template }) => {
      if (template.content === 'text') {
        expect(body?.split(/[\r\n\v\f\u0085]/)).toHaveLength(2)
        return
      }
      const read = JSON.parse(body ?? '') as JsonObject
      for (const name of Object.keys(read)) expect(['a', 'note', 'fixed']).toContain(name)
      expect(read.fixed).toEqual({ c: 1 })
    })
    expect(made).toBeGreaterThan(50)
  })

  it('whatever its name is, adds a part to the parameters themselves', async () => {
    await fc.assert(
      fc.asyncProperty(fc.dictionary(text, text, { maxKeys: 3 }), async values => {
        const request = filled({ content: 'multipart' }, values)
        if (request !== null) expect(await partsOf(request)).toHaveLength(Object.keys(values).length)
      }),
      { numRuns: 200 },
    )
  })
})
