import { describe, expect, it } from 'vitest'
import type { Catalog, CatalogOperation } from '../../../shared/contract/configuration/catalog.ts'
import type { Policy } from '../../../shared/contract/configuration/policy.ts'
import { compilePolicies } from '../../../shared/gate/compiled-policy.ts'
import { makeBook, quickReach, toolOperations } from '../../../shared/mcp/tool-book.ts'
import type { Tool } from '../../../shared/mcp/tools.ts'

const hash = `sha256:${'0'.repeat(64)}`

const policy: Policy = {
  allowed_systems: ['payments'],
  allowed_operations: { payments: ['refund', 'read'], mail: ['send'] },
  parameter_constraints: { payments: { refund: { amount: { required: true, max: 50 } } } },
  approval_required_at: 'medium',
  review_route: 'finance',
}

function entry(operation: string, change: Partial<CatalogOperation> = {}): CatalogOperation {
  return {
    system: 'payments',
    operation,
    title: 'Refund a payment',
    parameter_schema: {
      type: 'object',
      additionalProperties: false,
      required: ['amount'],
      properties: { amount: { type: 'number', minimum: 1 } },
    },
    minimum_risk: 'medium',
    effects: ['moves money'],
    reversibility: 'irreversible',
    actuator: { name: 'payments', kind: 'mock' },
    idempotency: 'none',
    tool_schema_hash: null,
    ...change,
  } as CatalogOperation
}

function source(catalog: Catalog | null) {
  const compiled = compilePolicies({
    policy,
    policyRevision: 1,
    policyHash: hash,
    catalog: catalog && { catalog, revision: 1, hash },
    actuators: [{ name: 'payments', kind: 'mock', settings: {} }],
    strict: false,
  })
  return { policy, catalog, compiled }
}

function reaches(catalog: Catalog | null): Record<string, string> {
  const given = source(catalog)
  return Object.fromEntries(
    toolOperations(given).map(operation => [operation.name, quickReach(given, operation)]),
  )
}

describe('what an agent is shown', () => {
  it('without a catalog is what the policy lists, of systems that it allows', () => {
    expect(reaches(null)).toEqual({
      mail__send: 'unreachable',
      payments__read: 'reachable',
      payments__refund: 'reachable',
    })
  })

  it('with a catalog leaves out what the catalog does not have', () => {
    const catalog = { operations: [entry('refund'), entry('burn')] }
    expect(reaches(catalog)).toMatchObject({
      payments__burn: 'unreachable',
      payments__read: 'unreachable',
      payments__refund: 'reachable',
    })
  })

  it('is for a proof where the example of the schema meets the policy nowhere', () => {
    const properties = { amount: { type: 'number', minimum: 60 } }
    const schema = { ...entry('refund').parameter_schema, properties }
    expect(reaches({ operations: [entry('refund', { parameter_schema: schema })] })).toMatchObject({
      payments__refund: 'unsure',
    })
  })

  it('says in words what the catalog knows, and whether a person is asked', () => {
    const given = source({ operations: [entry('refund')] })
    const { pages } = makeBook(toolOperations(given), new Set(['payments__refund']))
    const tools: Tool[] = JSON.parse(new TextDecoder().decode(pages[0]?.bytes))
    expect(tools[0]?.description).toMatch(
      /^Refund a payment\. Effects: moves money\. It cannot be undone\. A person approves every call before it runs\./,
    )
    expect(tools[0]?.annotations).toMatchObject({ destructiveHint: true, readOnlyHint: false })
    expect(tools[0]?.inputSchema).toMatchObject({ additionalProperties: false, required: ['amount'] })
    expect(Object.keys(tools[0]?.inputSchema.properties ?? {})).toEqual(['amount', 'action_gate_proposal_id'])
  })

  it('comes in pages of 256 kB, each tool once, and the last one ends the list', () => {
    const operations = Array.from({ length: 400 }, (_, at) =>
      entry(`refund_${String(at).padStart(3, '0')}`, { title: `Refund ${'x'.repeat(900)}` }),
    )
    const targets = toolOperations(source({ operations }))
    const { pages } = makeBook(targets, new Set(targets.map(({ name }) => name)))
    expect(Math.max(...pages.map(({ bytes }) => bytes.length))).toBeLessThanOrEqual(262_145)
    const read = pages.map(({ bytes }) => JSON.parse(new TextDecoder().decode(bytes)) as Tool[])
    expect(read.flat().filter(({ name }) => name.startsWith('payments__refund_'))).toHaveLength(400)
    expect(pages.map(({ next }) => next)).toEqual([...read.slice(0, -1).map(page => page.at(-1)?.name), null])
  })
})
