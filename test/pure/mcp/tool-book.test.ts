import { describe, expect, it } from 'vitest'
import type { OperationAccess } from '../../../shared/contract/access/access-schema.ts'
import type { Catalog, CatalogOperation } from '../../../shared/contract/configuration/catalog.ts'
import type { FreezeSelector } from '../../../shared/contract/configuration/freeze-schema.ts'
import type { Policy } from '../../../shared/contract/configuration/policy.ts'
import { compilePolicies } from '../../../shared/gate/compiled-policy.ts'
import { exampleAccess, namedTargets } from '../../../shared/gate/operation-access.ts'
import {
  makeBook,
  pagesFor,
  toolTargets,
  toolWeights,
  weightWarnings,
} from '../../../shared/mcp/tool-book.ts'
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

function source(catalog: Catalog | null, given: Policy = policy) {
  const compiled = compilePolicies({
    policy: given,
    policyRevision: 1,
    policyHash: hash,
    catalog: catalog && { catalog, revision: 1, hash },
    actuators: [{ name: 'payments', kind: 'mock', settings: {} }],
    strict: false,
  })
  const quiet = { freezes: [], pauses: [], grants: [], key_id: null }
  return { policy: given, catalog, compiled, actuators: [], ...quiet }
}

function reaches(catalog: Catalog | null): Record<string, string> {
  const given = source(catalog)
  return Object.fromEntries(
    toolTargets(given).map(target => [
      `${target.system}__${target.operation}`,
      exampleAccess(given, target)?.answer ?? 'unsure',
    ]),
  )
}

/** The book where a call of every operation is answered so. */
function bookOf(given: ReturnType<typeof source>, freezes: FreezeSelector[] = []) {
  const targets = toolTargets(given)
  const denied = { answer: 'denied', code: null, review_route: null, message: '', unavailable: null } as const
  return makeBook(
    targets,
    targets.map(target => exampleAccess(given, target) ?? denied),
    freezes,
  )
}

const toolsOf = (pages: readonly { bytes: Uint8Array }[]): Tool[] =>
  pages.flatMap(({ bytes }) => JSON.parse(new TextDecoder().decode(bytes)))

describe('what an agent is shown', () => {
  it('without a catalog is what the policy lists, of systems that it allows', () => {
    expect(reaches(null)).toEqual({
      mail__send: 'denied',
      payments__read: 'allowed',
      payments__refund: 'allowed',
    })
  })

  it('with a catalog leaves out what the catalog does not have', () => {
    const catalog = { operations: [entry('refund'), entry('burn')] }
    expect(reaches(catalog)).toMatchObject({
      payments__burn: 'denied',
      payments__read: 'denied',
      payments__refund: 'held',
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
    const tools = toolsOf(bookOf(given).pages)
    expect(tools[0]?.description).toMatch(
      /^Refund a payment\. Effects: moves money\. It cannot be undone\. A person approves every call before it runs\./,
    )
    expect(tools[0]?.annotations).toMatchObject({ destructiveHint: true, readOnlyHint: false })
    expect(tools[0]?.inputSchema).toMatchObject({ additionalProperties: false, required: ['amount'] })
    expect(Object.keys(tools[0]?.inputSchema.properties ?? {})).toEqual(['amount', 'action_gate_proposal_id'])
  })

  it('weighs what an import adds, and warns above a bound', () => {
    const operations = Array.from({ length: 200 }, (_, at) =>
      entry(`refund_${at}`, { title: `Refund ${'x'.repeat(at === 0 ? 0 : 400)}` }),
    )
    const { payments: _, ...others } = policy.allowed_operations
    const given = source({ operations }, { ...policy, allowed_operations: others })
    const targets = namedTargets(given).filter(({ entry: reviewed }) => reviewed !== null)
    const answers = targets.map(target => exampleAccess(given, target) as OperationAccess)
    const weights = toolWeights(targets, answers)
    const listed = toolsOf(bookOf(given).pages).filter(({ name }) => name.startsWith('payments__refund_'))
    expect(weights.map(({ bytes }) => bytes)).toEqual(
      listed.map(tool => Buffer.byteLength(JSON.stringify(tool)) + 1),
    )
    expect(weights[0]?.tokens).toBeGreaterThan(100)
    expect(weights[0]?.tokens).toBeLessThan((weights[0]?.bytes ?? 0) / 4)
    expect(weightWarnings(weights.slice(0, 20))).toEqual([])
    expect(weightWarnings(weights)).toMatchObject([
      { code: 'tool_list_long', message: expect.stringMatching(/about \d+ tokens .* 200 tools.*--only/) },
    ])
  })

  it('has nothing that is frozen for the agent alone', () => {
    const given = source({ operations: [entry('refund'), entry('read', { minimum_risk: 'low' })] })
    const book = bookOf(given, [{ system: 'payments', operation: 'refund', key_id: 'agk_1' }])
    const names = (key: string) => toolsOf(pagesFor(book, key)).map(({ name }) => name)
    expect(names('agk_1')).toEqual(['payments__read', 'action_wait', 'action_status'])
    expect(names('agk_2')).toEqual(['payments__read', 'payments__refund', 'action_wait', 'action_status'])
  })

  it('comes in pages of 256 kB, each tool once, and the last one ends the list', () => {
    const operations = Array.from({ length: 400 }, (_, at) =>
      entry(`refund_${String(at).padStart(3, '0')}`, { title: `Refund ${'x'.repeat(900)}` }),
    )
    const { allowed_operations, ...rest } = policy
    const { payments: _, ...others } = allowed_operations
    const open = { ...rest, allowed_operations: others }
    const { pages } = bookOf(source({ operations }, open))
    expect(Math.max(...pages.map(({ bytes }) => bytes.length))).toBeLessThanOrEqual(262_145)
    const read = pages.map(({ bytes }) => JSON.parse(new TextDecoder().decode(bytes)) as Tool[])
    expect(read.flat().filter(({ name }) => name.startsWith('payments__refund_'))).toHaveLength(400)
    expect(pages.map(({ next }) => next)).toEqual([...read.slice(0, -1).map(page => page.at(-1)?.name), null])
  })
})
