import fc from 'fast-check'
import { readSchema } from '../../shared/gate/closed-schema.ts'
import { schemaArbitrary } from '../pure/gate/schema-arbitrary.ts'
import { readableJson } from '../support/fixtures/json-arbitrary.ts'
import type { JsonSchema } from './contract-document.ts'

type Resolve = (reference: string) => JsonSchema

/** Values that meet a JSON Schema of the kind that the contract uses, small ones. */
export function arbitraryOf(schema: JsonSchema, resolve: Resolve): fc.Arbitrary<unknown> {
  if (schema.title === 'Parameter schema') return closedSchemas
  if (schema.$ref) return referred(schema.$ref, resolve)
  if ('const' in schema) return fc.constant(schema.const)
  if (schema.enum) return fc.constantFrom(...schema.enum)
  const branches = schema.anyOf ?? (schema.type === undefined ? schema.oneOf : unionBranches(schema))
  if (branches) return fc.oneof(...branches.map(branch => arbitraryOf(branch, resolve)))
  if (Array.isArray(schema.type)) {
    return fc.oneof(...schema.type.map(type => arbitraryOf({ ...schema, type }, resolve)))
  }
  return ofType(schema, resolve)
}

/** One that refers to itself is only followed when a value is drawn, and made once. */
function referred(reference: string, resolve: Resolve): fc.Arbitrary<unknown> {
  const schema = resolve(reference)
  const recursive = JSON.stringify(schema).includes(`"${reference}"`)
  if (!recursive) return arbitraryOf(schema, resolve)
  let made: fc.Arbitrary<unknown> | undefined
  return fc.constant(null).chain(() => {
    made ??= arbitraryOf(schema, resolve)
    return made
  })
}

const matching = new Map<string, fc.Arbitrary<string>>()

/** To make one of a pattern takes longer than to draw from it. */
function textsOf(pattern: string): fc.Arbitrary<string> {
  const known = matching.get(pattern) ?? fc.stringMatching(new RegExp(pattern))
  matching.set(pattern, known)
  return known
}

/** The document says in words what makes a schema closed. These were picked once: a closed one is rare. */
const closedSchemas = fc.constantFrom(
  ...fc
    .sample(schemaArbitrary, { numRuns: 300, seed: 2026 })
    .filter(schema => readSchema(schema).errors.length === 0),
)

/** `type` beside `oneOf`: alternatives of their own, or members that exactly one of must be there. */
function unionBranches({ oneOf, ...schema }: JsonSchema): JsonSchema[] | undefined {
  return oneOf?.map(branch => {
    if (branch.type || branch.$ref) return branch
    const others = oneOf
      .flatMap(({ required = [] }) => required)
      .filter(name => !branch.required?.includes(name))
    const kept = Object.entries(schema.properties ?? {}).filter(([name]) => !others.includes(name))
    return {
      ...schema,
      properties: Object.fromEntries(kept),
      required: [...(schema.required ?? []), ...(branch.required ?? [])],
    }
  })
}

function ofType(schema: JsonSchema, resolve: Resolve): fc.Arbitrary<unknown> {
  switch (schema.type) {
    case 'object':
      return ofObject(schema, resolve)
    case 'array':
      return fc.array(arbitraryOf(schema.items ?? {}, resolve), {
        minLength: schema.minItems ?? 0,
        maxLength: Math.min(schema.maxItems ?? 3, 3),
      })
    case 'string':
      return ofString(schema)
    case 'integer':
      return fc.integer({ min: schema.minimum ?? -1000, max: Math.min(schema.maximum ?? 1000, 2 ** 31 - 1) })
    case 'number':
      return fc.double({
        min: schema.minimum ?? -1e9,
        max: schema.maximum ?? 1e9,
        noNaN: true,
        noDefaultInfinity: true,
      })
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    default:
      return readableJson
  }
}

function ofObject(schema: JsonSchema, resolve: Resolve): fc.Arbitrary<unknown> {
  const { properties, required = [], additionalProperties, propertyNames } = schema
  if (properties) {
    const members = Object.entries(properties).map(([name, member]) => [name, arbitraryOf(member, resolve)])
    return fc.record(Object.fromEntries(members), {
      requiredKeys: required as never[],
      noNullPrototype: true,
    })
  }
  const value =
    typeof additionalProperties === 'object' ? arbitraryOf(additionalProperties, resolve) : readableJson
  const name = arbitraryOf(propertyNames ?? { type: 'string' }, resolve) as fc.Arbitrary<string>
  return fc.dictionary(
    name.filter(text => text !== '__proto__'),
    value,
    { maxKeys: 3, noNullPrototype: true },
  )
}

function ofString(schema: JsonSchema): fc.Arbitrary<string> {
  const { pattern, minLength = 0, maxLength = 1000 } = schema
  const texts = pattern
    ? textsOf(pattern).filter(({ length }) => length >= minLength && length <= maxLength)
    : fc.string({ unit: 'binary', minLength, maxLength: Math.min(maxLength, 20) })
  const examples = (schema.examples ?? []).filter(example => typeof example === 'string')
  // What a pattern lets through may still be no URL: the examples are, as often as not.
  const mixed = pattern && examples.length > 0 ? fc.oneof(texts, fc.constantFrom(...examples)) : texts
  return mixed.filter(text => !text.includes('\0') && !/\p{Surrogate}/u.test(text))
}
