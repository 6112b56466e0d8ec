import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../shared/contract/base/json.ts'
import type { HttpSettings } from '../../../shared/contract/configuration/http-actuator-schema.ts'
import {
  isAllowed,
  placeTool,
  removeTool,
  type TenantDocuments,
} from '../../../shared/tool-import/place-tool.ts'
import { type ProposedTool, proposeTool } from '../../../shared/tool-import/propose-tool.ts'
import { type ImportedApi, readOpenApi } from '../../../shared/tool-import/read-openapi.ts'
import { readTools } from '../../../shared/tool-import/read-tools.ts'

const text = { type: 'string' }
const order = { type: 'object', required: ['sum'], properties: { sum: { type: 'number' }, note: text } }
const requestBody = (schema: JsonObject) => ({ required: true, content: { 'application/json': { schema } } })
const paths = {
  '/orders': { post: { operationId: 'order', summary: 'Order', requestBody: requestBody(order) } },
  '/orders/{id}': {
    get: {
      operationId: 'read',
      summary: 'Read',
      parameters: [{ name: 'id', in: 'path', required: true, schema: text }],
    },
  },
}
const bare: TenantDocuments = {
  policy: {
    allowed_systems: ['mail'],
    allowed_operations: { mail: ['send'] },
    parameter_constraints: { mail: { send: { to: { required: true } } } },
    approval_required_at: 'medium',
    review_route: 'leads',
  },
  catalog: null,
  actuators: [{ name: 'mail', kind: 'mock', settings: {} }],
}

function propose(documents: TenantDocuments, given: JsonObject = paths, partial = false): ProposedTool {
  const api = readOpenApi({ openapi: '3.1.0', info: { title: 'Shop' }, paths: given }) as ImportedApi
  const origin = { kind: 'http', api, base_url: 'https://shop.example' } as const
  return proposeTool(documents, origin, { system: 'shop', partial })
}

const imported = placeTool(bare, propose(bare))
const changesOf = ({ proposed }: ProposedTool) =>
  proposed.flatMap(({ operation, changes }) =>
    changes.map(({ code, message }) => `${operation} ${code}: ${message}`),
  )

describe('a first import', () => {
  it('adds actuator, entries and clause, and leaves other systems as they are', () => {
    expect(imported.policy.allowed_operations).toEqual({ mail: ['send'], shop: ['order', 'read'] })
    expect(imported.policy.parameter_constraints).toEqual(bare.policy.parameter_constraints)
    expect(imported.catalog?.operations.map(({ system, operation }) => `${system}/${operation}`)).toEqual([
      'shop/order',
      'shop/read',
    ])
    expect(imported.actuators.map(({ name, kind }) => `${kind} ${name}`)).toEqual(['mock mail', 'http shop'])
  })

  it('names what a first catalog denies, since it has no entry', () => {
    const { policy } = bare
    const denied = (allowed: Record<string, string[]>) => {
      const { mail: _mail, ...others } = allowed
      const allowed_systems = ['mail', ...Object.keys(others)]
      return propose({ ...bare, policy: { ...policy, allowed_systems, allowed_operations: allowed } }).denied
    }
    expect(propose(bare).denied).toEqual([{ system: 'mail', operations: ['send'] }])
    expect(denied({})).toEqual([{ system: 'mail', operations: null }])
    expect(denied({ mail: [], shop: ['order', 'refund'] })).toEqual([
      { system: 'shop', operations: ['refund'] },
    ])
    expect(propose(imported).denied).toEqual([])
  })

  it('honours the key where every request that changes something takes it', () => {
    const key = { name: 'idempotency-key', in: 'header', schema: text }
    const keyed = { ...paths['/orders'].post, parameters: [key] }
    const both = { ...paths, '/orders': { post: keyed } }
    expect(propose(bare, both).actuator.settings).toMatchObject({ idempotency: 'key_honoured' })
    expect(propose(bare, both).operations.every(({ idempotency }) => idempotency === 'key_honoured')).toBe(
      true,
    )
    const one = { ...both, '/more': { post: { operationId: 'more' } } }
    expect(propose(bare, one).actuator.settings).not.toHaveProperty('idempotency')
  })
})

describe('an operation that takes no key', () => {
  const key = { name: 'idempotency-key', in: 'header', schema: text }
  const keyed = { '/orders': { post: { ...paths['/orders'].post, parameters: [key] } } }
  const unkeyed = { ...keyed, '/more': { post: { operationId: 'more' } } }
  const honoured = ({ operations }: ProposedTool) =>
    Object.fromEntries(operations.map(({ operation, idempotency }) => [operation, idempotency]))
  const ownOf = ({ actuator }: ProposedTool, operation: string) =>
    (actuator.settings as HttpSettings).operations[operation]?.idempotency

  it('does not inherit it from those that were imported before', () => {
    const before = placeTool(bare, propose(bare, keyed))
    const later = propose(before, unkeyed)
    expect(honoured(later)).toEqual({ order: 'key_honoured', more: 'none' })
    expect(ownOf(later, 'more')).toBe('none')
    expect(later.warnings).toMatchObject([
      { code: 'key_not_taken', path: 'actuator.settings.operations.more.idempotency' },
    ])
    expect(propose(placeTool(before, later), unkeyed).warnings).toHaveLength(1)
  })

  it('leaves those that take it their own', () => {
    const first = propose(bare, unkeyed)
    expect(honoured(first)).toEqual({ order: 'key_honoured', more: 'none' })
    expect(first.actuator.settings).not.toHaveProperty('idempotency')
  })

  it('loses it where the document does not say it any more, and gains none by itself', () => {
    const first = placeTool(bare, propose(bare, unkeyed))
    const unsaid = { ...unkeyed, '/orders': paths['/orders'] }
    expect(honoured(propose(first, unsaid))).toMatchObject({ order: 'none' })
    const refused = placeTool(first, propose(first, unsaid))
    expect(honoured(propose(refused, unkeyed))).toMatchObject({ order: 'none' })
  })
})

describe('the same source again', () => {
  it('changes nothing', () => {
    const again = propose(imported)
    expect(changesOf(again)).toEqual([])
    expect(placeTool(imported, again)).toEqual(imported)
  })

  it('keeps what a reviewer said of an operation, and what its answers mean', () => {
    const reviewed = structuredClone(imported)
    const entry = reviewed.catalog?.operations.find(({ operation }) => operation === 'order')
    Object.assign(entry ?? {}, { minimum_risk: 'low', effects: ['takes an order'], execute_within_ms: 5_000 })
    const settings = reviewed.actuators.find(({ name }) => name === 'shop')?.settings as HttpSettings
    Object.assign(settings, { timeout_ms: 500, base_url: 'https://other.example' })
    Object.assign(settings.operations.order ?? {}, { statuses: { done: [201] }, headers: { 'X-Own': 'yes' } })
    const again = propose(reviewed)
    expect(changesOf(again)).toEqual([])
    expect(again.warnings).toMatchObject([{ code: 'other_server' }])
    expect(placeTool(reviewed, again)).toEqual(reviewed)
  })

  it('does not allow again what the policy no longer allows', () => {
    const { policy } = imported
    const less = { ...policy, allowed_operations: { ...policy.allowed_operations, shop: ['read'] } }
    expect(propose({ ...imported, policy: less }).allowed).toEqual(['read'])
  })
})

describe('drift is told by what it means', () => {
  const changed = (schema: JsonObject, more: JsonObject = {}) => ({
    ...paths,
    '/orders': { post: { ...paths['/orders'].post, requestBody: requestBody(schema), ...more } },
  })

  it.each<[string, JsonObject, string[]]>([
    [
      'a member more',
      changed({ ...order, properties: { ...order.properties, vip: text } }),
      ['order schema: takes vip too', 'order request: is asked in another way: POST /orders'],
    ],
    [
      'other values',
      changed({ ...order, properties: { ...order.properties, note: { type: 'string', maxLength: 5 } } }),
      ['order schema: takes other values for note'],
    ],
    [
      'a member that is required',
      changed({ ...order, required: ['sum', 'note'] }),
      ['order schema: requires note now'],
    ],
    [
      'other words',
      changed(order, { summary: 'Order something' }),
      ['order description: describes itself in other words'],
    ],
    [
      'another path',
      { ...paths, '/orders': {}, '/v2/orders': paths['/orders'] },
      ['order request: is asked in another way: POST /v2/orders'],
    ],
    ['a new operation', { ...paths, '/more': { get: { operationId: 'more' } } }, ['more new: is new']],
  ])('%s', (_what, given, expected) => {
    expect(changesOf(propose(imported, given))).toEqual(expected)
  })

  it('an operation that is gone goes with its clause and its settings', () => {
    const again = propose(imported, { '/orders': paths['/orders'] })
    expect(again.gone).toEqual(['read'])
    const next = placeTool(imported, again)
    expect(isAllowed(next.policy, 'shop', 'read')).toBe(false)
    expect(Object.keys((again.actuator.settings as HttpSettings).operations)).toEqual(['order'])
    expect(next.catalog?.operations.map(({ operation }) => operation)).toEqual(['order'])
  })

  it('an import of some operations leaves the others', () => {
    const again = propose(imported, { '/orders': paths['/orders'] }, true)
    expect(again.gone).toEqual([])
    expect(again.operations.map(({ operation }) => operation)).toEqual(['order', 'read'])
    expect(Object.keys((again.actuator.settings as HttpSettings).operations).sort()).toEqual([
      'order',
      'read',
    ])
  })

  it('a tool of another definition, or that now deletes, has the risk of now', () => {
    const listed = (hash: string, annotations: JsonObject) => {
      const definition = { inputSchema: { type: 'object' }, annotations }
      return readTools([{ name: 'tidy', hash: `sha256:${hash.repeat(64)}`, definition }], { name: 'tools' })
    }
    const origin = (tool: ReturnType<typeof listed>) =>
      ({ kind: 'mcp', tool, transport: { type: 'stdio', server: 'tools' } }) as const
    const options = { system: 'tools', partial: false }
    const first = placeTool(bare, proposeTool(bare, origin(listed('a', { readOnlyHint: true })), options))
    const again = proposeTool(first, origin(listed('b', { destructiveHint: true })), options)
    expect(changesOf(again)).toEqual([
      'tidy definition: has another definition: its words, its annotations or its results',
      'tidy review: would be of high risk and irreversible',
    ])
    expect(again.operations[0]?.tool_schema_hash).toBe(`sha256:${'b'.repeat(64)}`)
  })
})

it('a system that is removed takes everything of it along', () => {
  expect(removeTool(imported, 'shop')).toEqual({ ...bare, catalog: { operations: [] } })
})
