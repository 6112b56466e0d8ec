import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { issuesOf } from '../../shared/contract/base/errors.ts'
import { limits } from '../../shared/contract/base/limits.ts'
import { createJsonSchemas } from '../../shared/contract/openapi/json-schema.ts'
import { type ResourceName, resourceNames, resources } from '../../shared/contract/resources.ts'
import { arbitraryOf } from './arbitrary-of.ts'
import { beyondTheSchema } from './beyond-the-schema.ts'
import type { JsonSchema } from './contract-document.ts'
import { mutated } from './mutated.ts'

const base = 'https://gate.example.org'
const schemas = createJsonSchemas(base)
const validators = Object.fromEntries(
  resourceNames.map(name => [name, new Ajv2020({ strict: true }).compile(schemas[name])]),
)
const runs = { numRuns: 150, seed: 2026 }

function accepts(name: ResourceName, value: unknown): { ajv: boolean; zod: boolean } {
  return { ajv: validators[name]?.(value) ?? false, zod: resources[name].safeParse(value).success }
}

function valuesOf(name: ResourceName): fc.Arbitrary<unknown> {
  const { $defs = {} } = schemas[name] as { $defs?: Record<string, JsonSchema> }
  return arbitraryOf(schemas[name] as JsonSchema, reference =>
    reference === '#' ? (schemas[name] as JsonSchema) : ($defs[reference.replace('#/$defs/', '')] ?? {}),
  )
}

/** What a flow validates as a whole, so that the zod schema says of some part only that it is an object. */
const validatedByFlow: ReadonlySet<ResourceName> = new Set([
  'admission-request',
  'catalog',
  'catalog-change',
  'catalog-revision',
  'changed-catalog',
  'draft-verification',
  'policy-change',
  'policy-check',
  'policy-diff-request',
  'policy-replay',
  'tenant-request',
  'verification-request',
])

/** Refused only for what JSON Schema cannot say. */
function isBeyond(name: ResourceName, value: unknown): boolean {
  const { error } = resources[name].safeParse(value)
  return error !== undefined && issuesOf(error).every(({ code }) => Object.hasOwn(beyondTheSchema, code))
}

/** OpenID Connect Back-Channel Logout 1.0, 2.5: an issuer may send more, and what is not known is passed over. */
const openByStandard: ReadonlySet<string> = new Set([
  'logout-token-request',
  'slack-command',
  'slack-interaction',
])

describe.each(resourceNames)('%s.schema.json', name => {
  const schema = schemas[name]

  it('says where it is, what it is called and what it is for', () => {
    expect(schema).toMatchObject({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      $id: `${base}/schemas/${name}.schema.json`,
      title: expect.stringMatching(/^[A-Z]/),
      description: expect.stringMatching(/^[A-Z`].+\.$/),
    })
  })

  it('has an example that meets it, and that the service would accept', () => {
    const [example] = schema.examples as unknown[]
    expect({ ...accepts(name, example), errors: validators[name]?.errors }).toEqual({
      ajv: true,
      zod: true,
      errors: null,
    })
  })

  it('is closed wherever members are listed', () => {
    const open = objectsIn(schema).filter(part => part.properties && part.additionalProperties !== false)
    const listed = open.filter(part => part.type === 'object')
    expect(listed).toHaveLength(openByStandard.has(name) ? 1 : 0)
  })

  it('accepts what the service accepts', () => {
    fc.assert(
      fc.property(valuesOf(name), value => {
        fc.pre(!isBeyond(name, value))
        expect(accepts(name, value)).toEqual({ ajv: true, zod: true })
      }),
      runs,
    )
  })

  it('and refuses what the service refuses', () => {
    const seen = { refused: 0 }
    fc.assert(
      fc.property(mutated(valuesOf(name)), value => {
        fc.pre(!isBeyond(name, value))
        const { ajv, zod } = accepts(name, value)
        if (!ajv) seen.refused += 1
        if (!(validatedByFlow.has(name) && !ajv)) expect({ ajv, zod }).toEqual({ ajv: zod, zod })
      }),
      runs,
    )
    expect(seen.refused).toBeGreaterThan(runs.numRuns / 10)
  })
})

describe('proposals at their bounds', () => {
  const [example] = schemas.proposal.examples as [Record<string, unknown>]
  const withParameters = (parameters: unknown) => ({
    ...example,
    action: { ...(example.action as object), parameters },
  })
  const excesses = [
    withParameters(nested(limits.parameters_depth_max + 1)),
    withParameters({ values: Array(limits.parameters_values_max).fill(0) }),
  ]

  it('lengths count code points for both', () => {
    const summary = '😀'.repeat(limits.summary_length_max)
    expect(accepts('proposal', { ...example, summary })).toEqual({ ajv: true, zod: true })
    expect(accepts('proposal', { ...example, summary: `${summary}x` })).toEqual({ ajv: false, zod: false })
  })

  it('the description bounds depth and number of parameters, which JSON Schema cannot', () => {
    for (const value of excesses) expect(accepts('proposal', value)).toEqual({ ajv: true, zod: false })
    const { $defs } = schemas.proposal as { $defs: Record<string, { description: string }> }
    expect($defs.Parameters?.description).toContain(`${limits.parameters_depth_max} levels`)
    expect($defs.Parameters?.description).toContain(`${limits.parameters_values_max} values`)
  })
})

function nested(depth: number): object {
  return depth === 1 ? {} : { deeper: nested(depth - 1) }
}

interface SchemaPart {
  type?: string
  properties?: object
  additionalProperties?: unknown
}

/** Every object in a schema, examples left out. */
function objectsIn(part: unknown): SchemaPart[] {
  if (typeof part !== 'object' || part === null) return []
  const members = Object.entries(part).filter(([name]) => name !== 'examples')
  return [part, ...members.flatMap(([, member]) => objectsIn(member))]
}
