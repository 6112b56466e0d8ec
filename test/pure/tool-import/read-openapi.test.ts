import { describe, expect, it } from 'vitest'
import type { JsonObject, JsonValue } from '../../../shared/contract/base/json.ts'
import { readText, refuseLarge } from '../../../shared/tool-import/import-source.ts'
import {
  type DocumentRefused,
  type ImportedApi,
  readOpenApi,
} from '../../../shared/tool-import/read-openapi.ts'

const info = { title: 'Shop API', version: '1' }
const servers = [{ url: 'https://shop.example/v1/' }]
type Paths = Record<string, JsonObject>

function documentOf(paths: Paths, more: JsonObject = {}): JsonObject {
  return { openapi: '3.1.0', info, servers, paths, ...more }
}

function api(paths: Paths, more: JsonObject = {}): ImportedApi {
  const read = readOpenApi(documentOf(paths, more))
  if (!('operations' in read)) throw new Error(read.message)
  return read
}

const json = (schema: JsonValue) => ({ required: true, content: { 'application/json': { schema } } })
const post = (schema: JsonValue, more: JsonObject = {}): Paths => ({
  '/orders': { post: { operationId: 'order', requestBody: json(schema), ...more } },
})
const refusal = (value: JsonValue) => (readOpenApi(value) as DocumentRefused).message
const text = { type: 'string' }

describe('a document that is none', () => {
  it.each<[string, JsonValue, string]>([
    [
      'Swagger 2',
      { swagger: '2.0', info, paths: {} },
      'Swagger 2.0 is not read: convert the document to OpenAPI 3 first',
    ],
    ['a list', [], 'no OpenAPI 3.0 or 3.1'],
    ['something else', { hello: 1 }, 'no OpenAPI 3.0 or 3.1'],
    ['one without paths', { openapi: '3.0.0', info, paths: {} }, 'nothing to import'],
    ['one of a later version', { openapi: '4.0.0', info, paths: {} }, 'no OpenAPI 3.0 or 3.1'],
  ])('is refused with a sentence: %s', (_what, value, sentence) => {
    expect(refusal(value)).toContain(sentence)
  })

  it('is refused by its bytes before anything reads it', () => {
    const large = ' '.repeat(50 * 1_048_576)
    const before = process.cpuUsage()
    expect(readText(large)).toEqual(refuseLarge(50 * 1_048_576))
    const { user, system } = process.cpuUsage(before)
    expect(user + system, 'microseconds of the processor').toBeLessThan(1_000_000)
    expect(refuseLarge(50 * 1_048_576)?.message).toContain('50 MiB, and 16 MiB are read')
  })

  it.each([
    ['a brace that does not end', '{"openapi": '],
    ['a text in two ways', 'a: b: c'],
    ['aliases that multiply', `a: &a [x]\n${aliases()}`],
  ])('is refused where it cannot be read: %s', (_what, written) => {
    expect(readText(written)).toMatchObject({ code: 'unreadable_document' })
  })
})

/** Each line holds the one before twenty times. */
function aliases(): string {
  const names = 'abcdefgh'.split('')
  return names
    .slice(1)
    .map((name, at) => `${name}: &${name} [${Array(20).fill(`*${names[at]}`).join(', ')}]`)
    .join('\n')
}

describe('a document', () => {
  it('may be YAML whose names are numbers, and begin with a mark', () => {
    const read = readText(
      '\ufeffopenapi: 3.0.0\npaths:\n  /a:\n    get:\n      responses:\n        200: {description: y}',
    )
    expect(read).toEqual({
      value: { openapi: '3.0.0', paths: { '/a': { get: { responses: { 200: { description: 'y' } } } } } },
    })
  })

  it('gives its system a name, an address and what authenticates', () => {
    const more = {
      security: [{ token: [] }],
      components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
    }
    expect(api({ '/a': { get: {} } }, more)).toMatchObject({
      system: 'shop',
      base_url: 'https://shop.example/v1',
      auth: { type: 'bearer', token: { env: 'ACTUATOR_SHOP_TOKEN' } },
      credentials: [{ name: 'ACTUATOR_SHOP_TOKEN', source: 'workers', message: 'the bearer token' }],
      operations: [{ operation: 'get_a', source: 'GET /a' }],
    })
  })

  it('names secrets that the tenant stores, where those of the workers are not for it', () => {
    const document = {
      openapi: '3.1.0',
      info: { title: '1 Shop & Co' },
      security: [{ it: [] }],
      components: { securitySchemes: { it: { type: 'http', scheme: 'basic' } } },
      paths: { '/a': { get: {} } },
    }
    expect(readOpenApi(document, { system: '1-shop', credentials: 'tenant' })).toMatchObject({
      auth: { username: { secret: 'x1_shop_user' }, password: { secret: 'x1_shop_password' } },
      credentials: [
        { name: 'x1_shop_user', source: 'tenant', message: 'the user' },
        { name: 'x1_shop_password', source: 'tenant', message: 'the password' },
      ],
    })
  })

  it.each<[JsonObject, JsonObject]>([
    [
      { type: 'apiKey', in: 'header', name: 'X-Key' },
      { auth: { type: 'header', name: 'X-Key', value: { env: 'ACTUATOR_SHOP_KEY' } } },
    ],
    [{ type: 'http', scheme: 'Basic' }, { auth: { type: 'basic', username: { env: 'ACTUATOR_SHOP_USER' } } }],
    [{ type: 'oauth2', flows: {} }, { auth: { type: 'bearer', token: { env: 'ACTUATOR_SHOP_TOKEN' } } }],
    [{ type: 'apiKey', in: 'query', name: 'key' }, { auth: { type: 'query', name: 'key' } }],
    [{ type: 'apiKey', in: 'cookie', name: 'key' }, { credentials: [] }],
    [
      { type: 'oauth2', flows: { clientCredentials: { tokenUrl: 'https://id.example/token' } } },
      { auth: { type: 'oauth2_client_credentials', token_url: 'https://id.example/token' } },
    ],
  ])('has the credential of scheme (%#)', (scheme, expected) => {
    const components = { securitySchemes: { it: scheme } }
    expect(api({ '/a': { get: { security: [{ it: [] }] } } }, { components })).toMatchObject(expected)
  })

  it.each([
    [
      [{ url: 'https://{region}.shop.example', variables: { region: { default: 'eu' } } }],
      'https://eu.shop.example',
    ],
    [[{ url: '/v2' }], null],
    [[{ url: 'https://{nobody}.example' }], null],
    [[{ url: 'ftp://shop.example' }], null],
  ])('is at the first of its servers (%#)', (given, expected) => {
    const read = readOpenApi({ openapi: '3.0.0', info, servers: given, paths: { '/a': { get: {} } } })
    expect((read as ImportedApi).base_url).toBe(expected)
  })

  it('is where it came from when its address is relative', () => {
    const value = { openapi: '3.0.0', info, servers: [{ url: '/v2' }], paths: { '/a': { get: {} } } }
    const read = readOpenApi(value, { from: 'https://shop.example/docs/openapi.json' })
    expect((read as ImportedApi).base_url).toBe('https://shop.example/v2')
  })
})

describe('the request of an operation', () => {
  it('has its parameters in path, query and header, and its key where it takes one', () => {
    const parameters = [
      { name: 'id', in: 'path', required: true, schema: text },
      { name: 'page[size]', in: 'query', schema: { type: 'integer', maximum: 50 } },
      { name: 'X-Version', in: 'header', required: true, schema: text },
      { name: 'X-Trace', in: 'header', schema: text },
      { name: 'Idempotency-Key', in: 'header', schema: text },
      { name: 'ids', in: 'query', schema: { type: 'array', items: text } },
      { name: 'joined', in: 'query', explode: false, schema: { type: 'array', items: text } },
    ]
    const [read] = api({ '/orders/{id}': { parameters, put: { operationId: 'replace' } } }).operations
    expect(read).toMatchObject({
      request: {
        path: '/orders/{parameters.id}',
        query: { 'page[size]': '{parameters.page_size?}', ids: '{parameters.ids?}' },
        headers: { 'X-Version': '{parameters.X-Version}', 'X-Trace': '{parameters.X-Trace?}' },
        body: {},
      },
      key_header: 'Idempotency-Key',
      parameter_schema: { required: ['id', 'X-Version'], properties: { page_size: { maximum: 50 } } },
    })
    expect(read?.left_out.map(({ path, code }) => [path, code])).toEqual([
      ['joined', 'unsupported_parameter'],
    ])
  })

  it('has the members of its body beside them, or as one where their names collide', () => {
    const body = { type: 'object', required: ['sum'], properties: { sum: { type: 'number' }, note: text } }
    const plain = api(post(body)).operations[0]
    expect(plain?.request?.body).toEqual({ sum: '{parameters.sum}', note: '{parameters.note}' })
    const parameters = [{ name: 'note', in: 'query', schema: text }]
    const nested = api(post(body, { parameters })).operations[0]
    expect(nested?.request?.body).toBe('{parameters.body}')
    expect(nested?.parameter_schema.required).toEqual(['body'])
  })

  it('is a form where it takes no JSON, as long as its members are plain', () => {
    const form = (schema: JsonObject) => ({ content: { 'application/x-www-form-urlencoded': { schema } } })
    const plain = { type: 'object', properties: { a: text, b: { type: 'array', items: text } } }
    const paths = { '/a': { post: { operationId: 'a', requestBody: form(plain) } } }
    expect(api(paths).operations[0]?.request).toMatchObject({
      content: 'form',
      body: { a: '{parameters.a}', b: '{parameters.b}' },
    })
    const nested = { type: 'object', properties: { a: plain } }
    const refused = api({ '/a': { post: { requestBody: form(nested) } } })
    expect(refused.refused).toMatchObject([{ code: 'unsupported_body' }])
  })

  it('says what kind of JSON it sends, and that an answer is no JSON', () => {
    const requestBody = {
      content: { 'application/merge-patch+json': { schema: { type: 'object', properties: { a: text } } } },
    }
    const responses = { 200: { description: 'a file', content: { 'text/csv': {} } } }
    const [read] = api({ '/a': { patch: { operationId: 'mend', requestBody, responses } } }).operations
    expect(read?.request).toMatchObject({
      headers: { 'Content-Type': 'application/merge-patch+json' },
      response: 'ignored',
    })
  })

  it.each<[string, JsonObject, string]>([
    ['GET', {}, 'reads data low reversible'],
    ['POST', {}, 'creates or changes data medium compensatable'],
    ['DELETE', {}, 'deletes data high irreversible'],
    ['POST', { operationId: 'refundCharge' }, 'creates or changes data, moves money high irreversible'],
    ['POST', { operationId: 'mail/send' }, 'creates or changes data, tells others medium irreversible'],
    ['GET', { operationId: 'listPayments' }, 'reads data low reversible'],
  ])('means by %s and %j what a reviewer begins with', (method, value, expected) => {
    const [read] = api({ '/a': { [method.toLowerCase()]: value } }).operations
    const { effects, minimum_risk, reversibility } = read?.meaning ?? { effects: [] }
    expect(`${effects.join(', ')} ${minimum_risk} ${reversibility}`).toBe(expected)
  })
})

describe('what cannot be closed', () => {
  const loop = {
    type: 'object',
    required: ['next'],
    properties: { next: { $ref: '#/components/schemas/Loop' } },
  }
  const schemas = { Loop: loop, Empty: {} }

  it.each<[string, Paths, string, string]>([
    [
      'a circle of what is required',
      post({ $ref: '#/components/schemas/Loop' }),
      'recursive',
      'leads back to itself',
    ],
    [
      'a reference to another document',
      post({ $ref: 'https://other.example/a.json' }),
      'external_reference',
      'never fetched',
    ],
    [
      'a reference to nothing',
      post({ $ref: '#/components/schemas/Nobody' }),
      'missing_reference',
      'correct the reference',
    ],
    ['any value', post({ $ref: '#/components/schemas/Empty' }), 'any_value', 'give it a type'],
    [
      'members of any name',
      post({ type: 'object', additionalProperties: text }),
      'free_names',
      'list those that are needed',
    ],
    [
      'a file',
      { '/a': { post: { requestBody: { content: { 'multipart/form-data': {} } } } } },
      'file',
      'reference to it',
    ],
    [
      'no JSON',
      { '/a': { post: { requestBody: { content: { 'text/plain': {} } } } } },
      'unsupported_body',
      'module actuator',
    ],
    ['a method that is not sent', { '/a': { head: {} } }, 'unsupported_method', 'module actuator'],
    [
      'a server of its own',
      { '/a': { get: { servers: [{ url: 'https://b.example' }] } } },
      'own_server',
      'of its own',
    ],
    ['a path that names no parameter', { '/a/{id}': { get: {} } }, 'malformed', 'correct the document'],
    [
      'types that contradict each other',
      post({ allOf: [text, { type: 'number' }] }),
      'contradictory',
      'correct the document',
    ],
  ])('is refused with the way out: %s', (_what, paths, code, way) => {
    const read = api(paths, { components: { schemas } })
    expect(read.operations).toEqual([])
    expect(read.refused).toMatchObject([{ code }])
    expect(read.refused[0]?.message).toContain(way)
  })

  it('is left out where it may be, with the reason', () => {
    const body = {
      type: 'object',
      required: ['name'],
      properties: {
        name: text,
        labels: { type: 'object', additionalProperties: text },
        next: { $ref: '#/components/schemas/Loop' },
        picture: { type: 'string', format: 'binary' },
        id: { type: 'string', readOnly: true },
      },
    }
    const [read] = api(post(body), { components: { schemas } }).operations
    expect(Object.keys(read?.parameter_schema.properties ?? {})).toEqual(['name'])
    expect(read?.left_out.map(({ path, code }) => [path, code])).toEqual([
      ['labels', 'free_names'],
      ['next.next', 'recursive'],
      ['picture', 'file'],
    ])
  })

  it('does not keep others from being proposed', () => {
    const read = api({ ...post({}), '/b': { get: { operationId: 'read' } } })
    expect(read.operations.map(({ operation }) => operation)).toEqual(['read'])
    expect(read.refused.map(({ operation }) => operation)).toEqual(['order'])
  })
})

it('gives two operations of one name two names', () => {
  const value = { operationId: 'same' }
  const read = api({ '/a': { get: value }, '/b': { get: value } })
  expect(read.operations.map(({ operation }) => operation)).toEqual(['same', 'same_2'])
})
