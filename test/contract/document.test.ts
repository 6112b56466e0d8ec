import { describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { type ErrorCode, errorTable } from '../../shared/contract/base/errors.ts'
import { type Endpoint, isForSome } from '../../shared/contract/endpoints/endpoint.ts'
import { endpoints } from '../../shared/contract/endpoints/endpoints.ts'
import { errorCodesOf } from '../../shared/contract/endpoints/error-codes.ts'
import { openApiDocument, openApiYaml } from '../../shared/contract/openapi/openapi.ts'
import { memberRoles } from '../../shared/contract/role-schema.ts'
import { type Operation, type RawMedia, readContractDocument } from './contract-document.ts'

const options = { version: '1.2.3', base_url: '' }
const document = readContractDocument(openApiYaml(options))
const rows = Object.entries(endpoints as Record<string, Endpoint>)

/** Said once more, apart from the product. */
function scopesOf({ access, method, roles }: Endpoint): readonly string[] | undefined {
  return {
    none: undefined,
    agent: ['agent'],
    approver: ['approver'],
    admin: method === 'GET' ? ['admin', 'on_call'] : ['admin'],
    agent_or_approver: ['agent', 'approver'],
    operator: undefined,
    session: undefined,
    member: memberRoles.filter(role => role !== 'owner' && roles?.includes(role)),
  }[access]
}

function securityOf({ access, method }: Endpoint): Record<string, string[]>[] {
  const session = { session: [], ...(method === 'GET' ? {} : { csrf: [] }) }
  const console = { operator_session: [], ...(method === 'GET' ? {} : { csrf: [] }) }
  const keys = [{ bearer: [] }, { service_api_key: [] }]
  const special: Partial<Record<Endpoint['access'], Record<string, string[]>[]>> = {
    none: [],
    admin: [{ service_admin_key: [] }, console],
    operator: [console],
    session: [session],
    member: [session, ...keys],
  }
  return special[access] ?? keys
}

describe('the OpenAPI document', () => {
  it('is OpenAPI 3.1.1 of this version, with its own or the configured address', () => {
    expect(document.raw).toMatchObject({
      openapi: '3.1.1',
      info: { version: '1.2.3' },
      servers: [{ url: '/' }],
    })
    const base_url = 'https://gate.example.org/gate'
    expect(openApiDocument({ ...options, base_url }).servers).toMatchObject([{ url: base_url }])
  })

  it('says in YAML what it says as a value, to readers of YAML 1.1 too', () => {
    expect(document.raw).toEqual(JSON.parse(JSON.stringify(openApiDocument(options))))
    expect(stringify(document.raw, { aliasDuplicateObjects: false, lineWidth: 0, compat: 'yaml-1.1' })).toBe(
      openApiYaml(options),
    )
  })

  it('has one operation for every row of the endpoint table, and no other', () => {
    const documented = document.operations.map(({ operationId, method, path, summary }) => ({
      operationId,
      method,
      path,
      summary,
    }))
    const wanted = rows.map(([operationId, { method, path, summary }]) => ({
      operationId,
      method,
      path,
      summary,
    }))
    const byId = (one: { operationId: string }, other: { operationId: string }) =>
      one.operationId < other.operationId ? -1 : 1
    expect(documented.sort(byId)).toEqual(wanted.sort(byId))
  })

  it.each(rows)('%s has the credentials of its access, and key scopes', (name, row) => {
    const operation = document.operation(name)
    expect(operation['x-key-scopes']).toEqual(scopesOf(row))
    const named = row.access === 'member' ? [] : (scopesOf(row) ?? [])
    for (const scope of named) expect(operation.description).toContain(scope)
    expect(operation.security).toEqual(securityOf(row))
  })

  it.each(rows)('%s documents its answers and errors, and the implied', (name, row) => {
    const { responses } = document.operation(name)
    const own = [...Object.keys(row.answers), ...row.errors.map(code => String(errorTable[code].status))]
    const implied = [
      '431',
      '500',
      ...(row.access === 'none' ? [] : ['400', '401', '503']),
      ...(row.access === 'none' ||
      (['session', 'operator'].includes(row.access) && row.method === 'GET' && !isForSome(row))
        ? []
        : ['403']),
      ...(row.body ? ['400', '413', '415'] : []),
      ...(row.query ? ['400'] : []),
      ...(row.params ? ['404'] : []),
      ...(row.limited === false ? [] : ['429']),
    ]
    expect(Object.keys(responses).sort()).toEqual([...new Set([...own, ...implied])].sort())
  })

  it('narrows the code of every problem to those of its status', () => {
    const problems = document.operations.flatMap(operation =>
      Object.entries(operation.responses).filter(([, response]) => '$ref' in response),
    )
    expect(problems.length).toBeGreaterThan(100)
    for (const [status, response] of problems) {
      const { examples = {} } = document.resolve(response).content?.['application/problem+json'] ?? {}
      for (const code of Object.keys(examples))
        expect(errorTable[code as 'not_found'].status).toBe(Number(status))
    }
    const pointer = '#/components/responses/ActionNotFound/content/application~1problem+json/schema'
    const problem = {
      type: 't',
      title: 't',
      status: 404,
      detail: 'd',
      code: 'action_not_found',
      request_id: 'r',
    }
    expect(document.problems(pointer, problem)).toEqual([])
    expect(document.problems(pointer, { ...problem, code: 'tenant_not_found' })).not.toEqual([])
    expect(document.problems(pointer, { ...problem, status: 400 })).not.toEqual([])
    expect(document.problems(pointer, { ...problem, stack: '' })).not.toEqual([])
  })

  it('documents every error code, but the one of methods that no operation has', () => {
    const documented = new Set(rows.flatMap(([, row]) => [...errorCodesOf(row).values()].flat()))
    const elsewhere = Object.keys(errorTable).filter(code => !documented.has(code as ErrorCode))
    expect(elsewhere).toEqual(['method_not_allowed'])
  })

  it('names every path parameter of every path', () => {
    for (const { path, parameters = [] } of document.operations) {
      const named = parameters.filter(parameter => parameter.in === 'path').map(({ name }) => name)
      expect(named).toEqual([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name))
    }
  })

  it('says of every object which other members it may have', () => {
    expect(objectsLeftOpen(document.raw, '#')).toEqual([])
  })

  it('has no schema that says nothing, but where any JSON value is meant', () => {
    expect(emptySchemas(document.raw, '#')).toEqual([])
  })
})

describe('examples', () => {
  const media = document.operations.flatMap(mediaOf)

  it.each(media)('of $place are there and meet its schema', ({ pointer, examples = {} }) => {
    const values = Object.values(examples).map(({ value }) => value)
    expect(values.length).toBeGreaterThan(0)
    expect(values.flatMap(value => document.problems(`${pointer}/schema`, value))).toEqual([])
  })
})

describe('the check of an answer finds', () => {
  const operation = document.operation('read_policy')
  const [{ value: body } = { value: null }] = Object.values(
    operation.responses[200]?.content?.['application/json']?.examples ?? {},
  )
  const headers = {
    'content-type': 'application/json',
    'x-request-id': 'r',
    ratelimit: 'l',
    'ratelimit-policy': 'p',
    etag: '"1"',
  }
  const good = { status: 200, headers, text: JSON.stringify(body) }

  it('nothing in one that is as documented', () => {
    expect(document.answerProblems(operation, good)).toEqual([])
  })

  it.each([
    ['a status that is not documented', { ...good, status: 201 }],
    ['a header that is missing', { ...good, headers: { ...headers, etag: undefined } }],
    ['another type', { ...good, headers: { ...headers, 'content-type': 'text/plain' } }],
    ['a member that is not documented', { ...good, text: JSON.stringify({ ...(body as object), more: 1 }) }],
    ['a member that is missing', { ...good, text: '{}' }],
    ['a problem under the wrong status', { ...good, status: 404 }],
    ['a body where there is none', { ...good, status: 431, text: 'too large' }],
  ])('%s', (_what, answer) => {
    expect(document.answerProblems(operation, answer)).not.toEqual([])
  })
})

interface PlacedMedia extends RawMedia {
  place: string
  pointer: string
}

/** The bodies of an operation: what it takes and every answer with a body. */
function mediaOf(operation: Operation): PlacedMedia[] {
  const { operationId, pointer, requestBody, responses } = operation
  const placed = (place: string, content: Record<string, RawMedia>, below: string) =>
    Object.entries(content).map(([type, media]) => ({
      ...media,
      place: `${operationId} ${place}`,
      pointer: `${below}/content/${type.replace('/', '~1')}`,
    }))
  return [
    ...placed('body', requestBody?.content ?? {}, `${pointer}/requestBody`),
    ...Object.entries(responses).flatMap(([status, response]) => {
      const below = '$ref' in response ? String(response.$ref) : `${pointer}/responses/${status}`
      return placed(status, document.resolve(response).content ?? {}, below)
    }),
  ]
}

/**
 * Schemas of objects that say `additionalProperties` neither themselves nor by branches: generators of clients read them
 * as empty objects.
 */
function objectsLeftOpen(part: unknown, pointer: string): string[] {
  if (typeof part !== 'object' || part === null || pointer.endsWith('/examples')) return []
  const says = ['additionalProperties', 'oneOf', 'anyOf', 'allOf'].some(word => word in part)
  const silent = 'type' in part && [part.type].flat().includes('object') && !says
  const below = Object.entries(part).flatMap(([name, value]) => objectsLeftOpen(value, `${pointer}/${name}`))
  return [...(silent ? [pointer] : []), ...below]
}

const schemaHolders = new Set(['schema', 'items', 'propertyNames'])

/** Where a schema has no keyword at all. */
function emptySchemas(part: unknown, pointer: string): string[] {
  if (typeof part !== 'object' || part === null || pointer.endsWith('/examples')) return []
  return Object.entries(part).flatMap(([name, value]) => {
    const below = `${pointer}/${name}`
    const empty = typeof value === 'object' && value !== null && Object.keys(value).length === 0
    const isSchema = schemaHolders.has(name) || pointer.endsWith('/properties')
    return [...(empty && isSchema ? [below] : []), ...emptySchemas(value, below)]
  })
}
