import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../shared/contract/base/json.ts'
import type { RegisteredActuator } from '../../../shared/contract/configuration/actuator-schema.ts'
import type { Policy } from '../../../shared/contract/configuration/policy.ts'
import { importSource, readText } from '../../../shared/tool-import/import-source.ts'
import { narrowDocument } from '../../../shared/tool-import/narrow-document.ts'
import { type ImportedApi, readOpenApi } from '../../../shared/tool-import/read-openapi.ts'
import { readTools } from '../../../shared/tool-import/read-tools.ts'
import { largeDocument, readPublished } from '../../support/openapi/published-documents.ts'

/** What public documents say and an import did not read: each small, after a report of the field. */

const servers = [{ url: 'http://127.0.0.1:9099' }]
const text = { type: 'string' }
type Paths = Record<string, JsonObject>

function documentOf(paths: Paths, more: JsonObject = {}): JsonObject {
  return { openapi: '3.0.3', info: { title: 'Thing', version: '1' }, servers, paths, ...more }
}

function api(paths: Paths, more: JsonObject = {}): ImportedApi {
  const read = readOpenApi(documentOf(paths, more))
  if (!('operations' in read)) throw new Error(read.message)
  return read
}

const names = (read: ImportedApi) => read.operations.map(({ operation }) => operation)
const refusals = (read: ImportedApi) => read.refused.map(({ operation, code }) => [operation, code])
const object = (properties: JsonObject, required: string[] = []): JsonObject => ({
  ...{ type: 'object', properties },
  ...(required.length === 0 ? {} : { required }),
})
const body = (schema: JsonObject, type = 'application/json', required = true): JsonObject => ({
  requestBody: { required, content: { [type]: { schema } } },
})

function imported(
  document: JsonObject,
  base_url: string | null = null,
  actuators: RegisteredActuator[] = [],
) {
  return importSource({
    source: { kind: 'openapi', text: JSON.stringify(document), from: null },
    documents: { policy, catalog: null, actuators },
    ...{ system: null, base_url, only: null, credentials: 'workers' },
  })
}

const policy: Policy = {
  allowed_systems: [],
  allowed_operations: {},
  parameter_constraints: {},
  approval_required_at: 'high',
  review_route: 'operations',
}

describe('one operation that nothing takes is refused alone', () => {
  const good = { get: { operationId: 'good' } }

  it.each([
    ['a question mark', '/a?beta=true'],
    ['a fragment', '/a#two'],
    ['a space', '/a b'],
    ['a letter beyond ASCII', '/ä'],
    ['no slash at its beginning', 'a'],
  ])('whose path has %s', (_, path) => {
    const read = api({ [path]: { get: { operationId: 'bad' } }, '/good': good })
    expect([names(read), refusals(read)]).toEqual([['good'], [['bad', 'unwritable_path']]])
    expect(read.refused[0]?.message).toBe(
      'the path holds what no path of a request holds, such as ?, # or a space: correct the document',
    )
  })

  it('and half of a character in a document is replaced', () => {
    const written = JSON.stringify({ '\ud800a': ['b\udfff', '\ud83d\ude00'] })
    expect(readText(written)).toEqual({ value: { '\ufffda': ['b\ufffd', '😀'] } })
    expect(readText('a: "\\ud800"')).toEqual({ value: { a: '\ufffd' } })
  })

  it('but a header that frames a request is left out, or refuses its operation', () => {
    const header = (required: boolean) => ({
      parameters: [{ name: 'Content-Length', in: 'header', required, schema: { type: 'integer' } }],
    })
    const read = api({
      '/a': { post: { operationId: 'may', ...header(false) } },
      '/b': { post: { operationId: 'must', ...header(true) } },
    })
    expect([names(read), refusals(read)]).toEqual([['may'], [['must', 'unwritable_name']]])
    expect(read.operations[0]?.left_out).toMatchObject([{ path: 'Content-Length', code: 'unwritable_name' }])
  })

  it.each([
    ['maximum', 1e19, {}],
    ['maximum', 2 ** 63 - 1, {}],
    ['minimum', -(2 ** 63), {}],
    ['exclusiveMaximum', 1e300, {}],
    ['maximum', 2 ** 53 - 1, { maximum: 2 ** 53 - 1 }],
  ])('and a %s of %s beyond what numbers are exact is no bound', (keyword, bound, kept) => {
    const seed = { type: 'integer', [keyword]: bound }
    const [read] = api({ '/a': { post: { operationId: 'make', ...body(object({ seed })) } } }).operations
    expect(read?.parameter_schema.properties).toEqual({ seed: { type: 'integer', ...kept } })
  })

  it('and a document of which nothing is left is refused, with the first reasons', () => {
    const elsewhere = { get: { operationId: 'a', servers: [{ url: 'https://other.example' }] } }
    expect(imported(documentOf({ '/a': elsewhere }))).toEqual({
      code: 'nothing_to_import',
      message: 'none of its operations can be imported (1): the reasons say what to correct',
      refused: [
        {
          operation: 'a',
          source: 'GET /a',
          code: 'own_server',
          message: 'it has a server of its own: import it as a system of its own, and give base_url',
        },
      ],
    })
    expect(imported(documentOf({ '/a': elsewhere }), 'https://other.example')).toMatchObject({
      tool: { actuator: { settings: { base_url: 'https://other.example', operations: { a: {} } } } },
    })
  })
})

describe('servers', () => {
  const at = (url: string) => ({ servers: [{ url }] })
  const own = 'http://127.0.0.1:9099/'

  it('of a path or an operation that are the document’s refuse nothing', () => {
    const read = api({ '/a': { ...at(own), get: {} }, '/b': { get: at(own) }, '/c': { get: {} } })
    expect([names(read), read.refused]).toEqual([['get_a', 'get_b', 'get_c'], []])
  })

  it('that are one other for all are where the tool is', () => {
    const other = at('https://api.example/v2')
    const read = api({ '/a': { ...other, get: {} }, '/b': { get: other } })
    expect([read.base_url, names(read)]).toEqual(['https://api.example/v2', ['get_a', 'get_b']])
  })

  it('that differ refuse those operations that go elsewhere', () => {
    const read = api({
      '/a': { get: at('https://api.example') },
      '/b': { get: {} },
      '/c': { get: at('ftp://x') },
    })
    expect([read.base_url, names(read)]).toEqual(['http://127.0.0.1:9099', ['get_b']])
    expect(refusals(read)).toEqual([
      ['get_a', 'own_server'],
      ['get_c', 'own_server'],
    ])
  })

  it('whose variable is a credential say no address', () => {
    const variables = { token: { default: '123456:ABC-DEF' } }
    const read = api(
      { '/a': { get: {} } },
      { servers: [{ url: 'https://api.example/bot{token}', variables }] },
    )
    expect(read.base_url).toBeNull()
  })
})

describe('a body', () => {
  const ids = { droplet_ids: { type: 'array', items: { type: 'integer' } } }

  it('of a DELETE is sent', () => {
    const read = api({ '/a': { delete: { operationId: 'drop', ...body(object(ids, ['droplet_ids'])) } } })
    expect(read.operations[0]).toMatchObject({
      parameter_schema: { required: ['droplet_ids'] },
      request: { method: 'DELETE', body: { droplet_ids: '{parameters.droplet_ids}' } },
    })
    expect(api({ '/a': { delete: {} } }).operations[0]?.request).toEqual({ method: 'DELETE', path: '/a' })
  })

  it('of a GET is named, or refuses it where it must be there', () => {
    const read = api({
      '/a': { get: { operationId: 'may', ...body(object(ids), 'application/json', false) } },
      '/b': { get: { operationId: 'must', ...body(object(ids)) } },
    })
    expect([names(read), refusals(read)]).toEqual([['may'], [['must', 'body_of_get']]])
    expect(read.operations[0]?.left_out).toMatchObject([{ path: 'body', code: 'body_of_get' }])
  })

  const form = 'application/x-www-form-urlencoded'
  it('as a form leaves out what no form holds, where it may', () => {
    const address = object({ city: text })
    const read = api({
      '/a': { post: { operationId: 'may', ...body(object({ email: text, address }, ['email']), form) } },
      '/b': { post: { operationId: 'must', ...body(object({ email: text, address }, ['address']), form) } },
    })
    expect([names(read), refusals(read)]).toEqual([['may'], [['must', 'unsupported_body']]])
    expect(read.operations[0]).toMatchObject({
      request: { content: 'form', body: { email: '{parameters.email}' } },
      left_out: [{ path: 'address', code: 'unsupported_parameter' }],
    })
    expect(Object.keys(read.operations[0]?.parameter_schema.properties as object)).toEqual(['email'])
  })

  it('in parts is sent so, where none of them must be a file', () => {
    const multipart = 'multipart/form-data'
    const picture = { type: 'string', format: 'binary' }
    const read = api({
      '/a': { post: { operationId: 'may', ...body(object({ to: text, picture }, ['to']), multipart) } },
      '/b': { post: { operationId: 'must', ...body(object({ to: text, picture }, ['picture']), multipart) } },
    })
    expect([names(read), refusals(read)]).toEqual([['may'], [['must', 'file']]])
    expect(read.operations[0]).toMatchObject({
      request: { content: 'multipart', body: { to: '{parameters.to}' } },
      left_out: [{ path: 'picture', code: 'file' }],
    })
  })
})

describe('an array', () => {
  const list = { type: 'array', items: text }
  const query = (name: string, more: JsonObject) => ({ name, in: 'query', schema: list, ...more })

  it.each([
    [{}, undefined],
    [{ explode: false }, 'comma'],
    [{ style: 'deepObject', explode: true }, 'brackets'],
  ])('of a query with %j is written by %s', (said, arrays) => {
    const [read] = api({ '/a': { get: { parameters: [query('ids', said)] } } }).operations
    expect(read?.request?.arrays).toBe(arrays)
    expect(read?.request?.query).toEqual({ ids: '{parameters.ids?}' })
  })

  it('written otherwise than the rest is left out, and what is required decides', () => {
    const parameters = [query('a', {}), query('b', { explode: false, required: true })]
    const [read] = api({ '/a': { get: { parameters } } }).operations
    expect(read?.request).toMatchObject({ arrays: 'comma', query: { b: '{parameters.b}' } })
    expect(read?.left_out).toMatchObject([{ path: 'a', code: 'unsupported_parameter' }])
  })
})

describe('a reference', () => {
  it('to a file is named, and never an operation without parameters', () => {
    const read = api({
      '/droplets': { get: { $ref: 'list.yml' }, post: { $ref: 'create.yml' } },
      '/account': { get: { operationId: 'account' } },
      '/others': { $ref: 'others.yml' },
    })
    expect(names(read)).toEqual(['account'])
    expect(refusals(read)).toEqual([
      ['get_droplets', 'external_reference'],
      ['post_droplets', 'external_reference'],
      ['any_others', 'external_reference'],
    ])
  })

  it('of a path keeps the operations beside it', () => {
    const read = api({
      '/foo': { get: { operationId: 'getFoo' } },
      '/foo2': { $ref: '#/paths/~1foo', post: { operationId: 'createFoo2' } },
    })
    expect(names(read).sort()).toEqual(['createFoo2', 'getFoo', 'getFoo_2'])
  })

  it('keeps what is required beside it', () => {
    const schema = { $ref: '#/components/schemas/Base', required: ['name'] }
    const components = { schemas: { Base: object({ name: text, note: text }) } }
    const read = api({ '/a': { post: { ...body(schema) } } }, { components })
    expect(read.operations[0]?.parameter_schema.required).toEqual(['name'])
  })

  it('of YAML merges members', () => {
    const read = readText('base: &base {id: 1, owner: 2}\nall:\n  <<: *base\n  id: 3')
    expect(read).toEqual({ value: { base: { id: 1, owner: 2 }, all: { id: 3, owner: 2 } } })
  })
})

it.each([
  ['not', { ...text, not: { const: 'x' } }],
  [
    'discriminator',
    { oneOf: [object({ a: text }), object({ b: text })], discriminator: { propertyName: 'a' } },
  ],
  ['if', { ...text, if: { const: 'x' } }],
])('a schema that says %s is named as not checked', (keyword, value) => {
  const [read] = api({ '/a': { post: { operationId: 'a', ...body(object({ value })) } } }).operations
  expect(read?.left_out).toMatchObject([{ path: `value.${keyword}`, code: 'unchecked' }])
})

describe('credentials', () => {
  const key = { type: 'apiKey', in: 'header', name: 'X-Api-Key' }
  const app = { type: 'apiKey', in: 'header', name: 'X-App-Key' }
  const secured = (securitySchemes: JsonObject, security: JsonObject[]) =>
    api({ '/x': { get: { operationId: 'x' } } }, { security, components: { securitySchemes } })

  it('that are required together are both sent', () => {
    expect(secured({ key, app }, [{ key: [], app: [] }])).toMatchObject({
      auth: { type: 'header', name: 'X-Api-Key', value: { env: 'ACTUATOR_THING_KEY' } },
      headers: { 'X-App-Key': { env: 'ACTUATOR_THING_APP_KEY' } },
      credentials: [{ name: 'ACTUATOR_THING_KEY' }, { name: 'ACTUATOR_THING_APP_KEY' }],
      warnings: [],
    })
  })

  it('a bearer token and a key are the proof and a header', () => {
    expect(secured({ app, it: { type: 'http', scheme: 'bearer' } }, [{ app: [], it: [] }])).toMatchObject({
      auth: { type: 'bearer' },
      headers: { 'X-App-Key': {} },
    })
  })

  it('have each a name of their own, in whichever order', () => {
    const basic = { type: 'http', scheme: 'basic' }
    const { credentials } = secured({ app, basic }, [{ app: [], basic: [] }])
    expect(new Set(credentials.map(({ name }) => name)).size).toBe(3)
  })

  it('that a registration of before does not send are a warning', () => {
    const token = { name: 'api_key', in: 'query', required: true, schema: text }
    const document = documentOf({ '/x': { get: { operationId: 'x', parameters: [token] } } })
    const operations = { x: { method: 'GET', path: '/x' } }
    const warned = (more: object) => {
      const settings = { base_url: 'http://127.0.0.1:9099', operations, ...more }
      const actuators = [{ name: 'thing', kind: 'http', settings }] as RegisteredActuator[]
      const read = imported(document, null, actuators)
      return 'tool' in read ? read.tool.warnings.map(({ code }) => code) : read
    }
    expect(warned({})).toEqual(['credential_not_sent'])
    expect(warned({ headers: { 'X-Api-Key': { env: 'ACTUATOR_THING_KEY' } } })).toEqual([])
  })

  it('of the first requirement that can be sent whole are taken', () => {
    const cookie = { type: 'apiKey', in: 'cookie', name: 'sid' }
    expect(secured({ cookie, key, app }, [{ cookie: [], key: [] }, { app: [] }])).toMatchObject({
      auth: { name: 'X-App-Key' },
      warnings: [],
    })
  })

  it.each([
    ['a cookie', { type: 'apiKey', in: 'cookie', name: 'sid' }, 'c (apiKey in cookie)'],
    ['an unknown scheme', { type: 'http', scheme: 'digest' }, 'c (http)'],
    ['a scheme that is not there', undefined, 'c (an unknown scheme)'],
  ])('that no setting sends are a warning: %s', (_, c, shown) => {
    const read = secured(c ? { c } : {}, [{ c: [] }])
    expect(read.auth).toBeUndefined()
    expect(read.warnings).toEqual([
      {
        path: 'actuator.settings.auth',
        code: 'credential_not_sent',
        message: `the document asks for ${shown}, which no setting sends beside the rest: its downstream may refuse the calls`,
      },
    ])
  })

  const parameter = (name: string, where: string, description = '') => ({
    ...{ name, in: where, description, required: true, schema: text },
  })

  it('that are parameters are sent by the registration, and no agent is asked for them', () => {
    const token = parameter('token', 'query', 'Authentication token. Requires scope: `none`')
    const read = api({ '/auth.revoke': { post: { operationId: 'revoke', parameters: [token] } } })
    expect(read).toMatchObject({
      auth: { type: 'query', name: 'token', value: { env: 'ACTUATOR_THING_TOKEN' } },
      operations: [{ parameter_schema: { properties: {} }, request: { path: '/auth.revoke' } }],
    })
    expect(read.operations[0]?.request?.query).toBeUndefined()
  })

  it('that are a parameter as well as a scheme are sent once', () => {
    const path = { '/x': { get: { parameters: [parameter('X-Api-Key', 'header')] } } }
    const read = api(path, { security: [{ key: [] }], components: { securitySchemes: { key } } })
    expect(read).toMatchObject({ auth: { name: 'X-Api-Key' }, warnings: [] })
    expect(read.headers).toBeUndefined()
  })

  it.each([
    ['token', 'The token of the next page.'],
    ['key', 'The key of the object.'],
    ['page_token', 'Access token of the page'],
  ])('but %s (%s) is a parameter', (name, description) => {
    const [read] = api({ '/x': { get: { parameters: [parameter(name, 'query', description)] } } }).operations
    expect(read?.parameter_schema.required).toEqual([name])
  })
})

describe('words', () => {
  it.each([
    ['/deletePad', undefined],
    ['/pads', 'deletePad'],
    ['/users/delete', undefined],
    ['/users/{id}/remove', 'users.remove'],
    ['/transfer', 'transferMoney'],
    ['/x', 'refund_charge'],
    ['/x', 'execute'],
    ['/revoke', 'tokens'],
  ])('of GET %s %s raise its risk', (path, operationId) => {
    const parameters = path.includes('{') ? [{ name: 'id', in: 'path', required: true, schema: text }] : []
    const [read] = api({
      [path]: { get: { ...(operationId ? { operationId } : {}), parameters } },
    }).operations
    expect(read?.meaning).toMatchObject({ minimum_risk: 'high', reversibility: 'irreversible' })
    expect(read?.meaning.effects).not.toContain('reads data')
  })

  it.each([
    ['/payments', 'list_payments'],
    ['/payments', undefined],
    ['/transfers/{id}', undefined],
    ['/refunds', 'refunds'],
    ['/runs', 'runs.list'],
    ['/emails', 'getEmails'],
    ['/deleted', 'listDeleted'],
    ['/charge', 'retrieveCharge'],
    ['/issues', 'getDeleteRequests'],
  ])('of GET %s %s do not', (path, operationId) => {
    const parameters = path.includes('{') ? [{ name: 'id', in: 'path', required: true, schema: text }] : []
    const [read] = api({
      [path]: { get: { ...(operationId ? { operationId } : {}), parameters } },
    }).operations
    expect(read?.meaning).toEqual({
      effects: ['reads data'],
      minimum_risk: 'low',
      reversibility: 'reversible',
    })
  })

  it.each([
    ['jira_delete_issue', 'high'],
    ['delete_issue', 'high'],
    ['transferMoney', 'high'],
    ['list_payments', 'low'],
    ['get_refund', 'low'],
    ['jira_get_issue', 'low'],
    ['payments_list', 'low'],
  ])('of the tool %s, which is said to read, make it of %s risk', (name, risk) => {
    const definition = { name, inputSchema: object({}), annotations: { readOnlyHint: true } }
    const hash = `sha256:${'a'.repeat(64)}`
    const [read] = readTools([{ name, hash, definition }], { name: 'tools' }).operations
    expect(read?.meaning.minimum_risk).toBe(risk)
  })
})

describe('a document that is too large to be sent', () => {
  const large = largeDocument(300)
  const only = ['make/7', 'make/8']

  it('is narrowed to the chosen operations and what they refer to', () => {
    const narrowed = narrowDocument(large, only)
    expect(JSON.stringify(narrowed).length).toBeLessThan(JSON.stringify(large).length / 20)
    expect(readOpenApi(narrowed, { only })).toEqual(readOpenApi(large, { only }))
    expect((readOpenApi(narrowed) as ImportedApi).operations.map(({ operation }) => operation)).toEqual(only)
  })

  it('keeps the names that the whole document gives', () => {
    const same = { operationId: 'same', responses: {} }
    const twice = documentOf({ '/a': { get: same }, '/b': { get: same } })
    const narrowed = readOpenApi(narrowDocument(twice, ['same_2'])) as ImportedApi
    expect(narrowed.operations).toMatchObject([{ operation: 'same_2', source: 'GET /b' }])
  })

  it.each(['github.json', 'figma.yaml', 'readme.json'] as const)(
    'reads the same of %s',
    name => {
      const text = readText(readPublished(name))
      const document = 'value' in text ? (text.value as JsonObject) : {}
      const whole = readOpenApi(document) as ImportedApi
      const some = whole.operations.filter((_, at) => at % 40 === 0).map(({ operation }) => operation)
      const left = {
        ...whole,
        operations: whole.operations.filter(({ operation }) => some.includes(operation)),
      }
      const narrowed = readOpenApi(narrowDocument(document, some)) as ImportedApi
      expect(narrowed.operations).toEqual(left.operations)
      expect(narrowed.base_url).toBe(whole.base_url)
    },
    60_000,
  )
})
