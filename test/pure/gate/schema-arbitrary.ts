import fc from 'fast-check'
import { isPlainObject, type JsonObject, type JsonValue } from '../../../shared/contract/base/json.ts'

// A small world, as in arbitrary.ts: few names and values, the awkward ones among them, so that schemas and values meet.

const names = ['a', 'b', 'constructor', 'toString', 'valueOf', '\'"`$\u2028*/\\']
const name = fc.constantFrom(...names)
const number = fc.constantFrom(-1, 0, -0, 1, 1.5, 2, 3, 4)
const text = fc.constantFrom('', 'a', 'ab', '😀', 'constructor', '__proto__', '1')
const scalar: fc.Arbitrary<JsonValue> = fc.oneof(number, text, fc.constantFrom(null, true, false))
const count = fc.constantFrom(0, 1, 2)
const pattern = fc.constantFrom('^a', '^[^a]$', '^.$', 'b?$', '^(a|b)+$')
const typeName = fc.constantFrom('object', 'array', 'string', 'number', 'integer', 'null', 'boolean')

export const valueArbitrary = fc.letrec<{ value: JsonValue }>(tie => ({
  value: fc.oneof(
    { depthSize: 'small' },
    scalar,
    fc.array(tie('value'), { maxLength: 3 }),
    members(tie('value'), 3),
  ),
})).value

export const parametersArbitrary: fc.Arbitrary<JsonObject> = members(valueArbitrary, 4)

const leaf: fc.Arbitrary<JsonValue> = fc.oneof(
  fc.record({ type: typeName }),
  keywords({ type: fc.constant('string'), minLength: count, maxLength: count, pattern }),
  keywords({
    type: fc.constant('number'),
    minimum: number,
    maximum: number,
    exclusiveMinimum: number,
    exclusiveMaximum: number,
    multipleOf: fc.constantFrom(1, 2, 0.5),
  }),
  fc.record({ enum: fc.array(valueArbitrary, { minLength: 1, maxLength: 3 }) }),
  fc.record({ const: valueArbitrary }),
  fc.constantFrom<JsonValue>({ $ref: '#/$defs/a' }, { $ref: '#/$defs/b' }, false),
)

type Tied = {
  schema: JsonValue
  closed: JsonObject
  composed: JsonObject
  list: JsonObject
  mixed: JsonObject
}

const tied = fc.letrec<Tied>(tie => {
  const several = fc.array(tie('schema'), { minLength: 1, maxLength: 3 })
  const parts = fc.array(fc.record({ properties: members(tie('schema'), 2) }), { minLength: 1, maxLength: 2 })
  return {
    schema: fc.oneof({ depthSize: 'small' }, leaf, tie('closed'), tie('composed'), tie('list'), tie('mixed')),
    closed: keywords({
      type: fc.constant('object'),
      additionalProperties: fc.constant(false),
      properties: members(tie('schema'), 3),
      patternProperties: fc.dictionary(fc.constantFrom('^a$', '^(b|x)'), tie('schema'), plain(1)),
      required: fc.uniqueArray(name, { maxLength: 1 }),
      dependentRequired: fc.dictionary(name, fc.uniqueArray(name, { maxLength: 2 }), plain(1)),
      minProperties: fc.constantFrom(0, 1),
      maxProperties: fc.constantFrom(2, 4),
      propertyNames: fc.constantFrom<JsonValue>({ maxLength: 40 }, { pattern: '.' }, { enum: names }),
      dependentSchemas: members(tie('mixed'), 1),
    }),
    composed: fc
      .record({
        how: fc.constantFrom('anyOf', 'allOf', 'allOf', 'allOf'),
        parts,
        own: members(tie('schema'), 1),
      })
      .map(
        ({ how, parts: list, own }): JsonObject => ({
          type: 'object',
          unevaluatedProperties: false,
          properties: own,
          [how]: list,
        }),
      ),
    list: keywords({
      type: fc.constant('array'),
      items: tie('schema'),
      prefixItems: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }),
      uniqueItems: fc.boolean(),
      contains: tie('schema'),
      minContains: count,
      maxContains: count,
      minItems: count,
      maxItems: count,
    }),
    mixed: fc.oneof(
      fc.record({ anyOf: several }),
      fc.record({ oneOf: several }),
      fc.record({ allOf: several }),
      fc.record({ not: tie('schema'), type: fc.constantFrom('string', 'number') }),
      fc.tuple(tie('schema'), tie('schema'), tie('schema')).map(branching),
    ),
  }
})

/** Parameter schemas over the small world; some are refused. */
export const schemaArbitrary: fc.Arbitrary<JsonObject> = fc
  .tuple(fc.oneof(tied.closed, tied.composed), fc.option(tied.mixed), tied.schema, tied.schema)
  .map(([top, more, a, b]) => ({ ...top, ...(more ? { allOf: [more] } : {}), $defs: { a, b } }))

/** Parameters that mostly meet the schema. */
export function fittingArbitrary(schema: JsonObject): fc.Arbitrary<JsonObject> {
  return fitting(schema, schema).map(value => (isPlainObject(value) ? value : {}))
}

function fitting(schema: JsonValue, root: JsonObject): fc.Arbitrary<JsonValue> {
  if (!isPlainObject(schema)) return valueArbitrary
  const { type, $ref, ...rest } = schema
  const sample = (inner: JsonValue): fc.Arbitrary<JsonValue> => fitting(inner, root)
  if (typeof $ref === 'string')
    return sample((root.$defs as JsonObject)[$ref.slice('#/$defs/'.length)] ?? true)
  if (rest.const !== undefined) return fc.constant(rest.const)
  if (Array.isArray(rest.enum)) return fc.constantFrom(...rest.enum)
  const parts = partsOf(rest).map(sample)
  if (rest.properties !== undefined || type === 'object') return fittingObject(rest, parts, sample)
  if (parts.length > 0) return fc.oneof(...parts)
  if (type === 'array') return fc.array(sample(rest.items ?? true), { maxLength: 2 })
  if (type === 'string') return text
  return type === 'number' || type === 'integer' ? number : scalar
}

function partsOf({ anyOf, oneOf, allOf, ...rest }: JsonObject): JsonValue[] {
  const branches = rest.if === undefined ? [] : [rest.then ?? true, rest.else ?? true]
  return [anyOf, oneOf, allOf, branches].filter(Array.isArray).flat()
}

function fittingObject(
  { properties, required }: JsonObject,
  parts: fc.Arbitrary<JsonValue>[],
  sample: (schema: JsonValue) => fc.Arbitrary<JsonValue>,
): fc.Arbitrary<JsonValue> {
  const schemas = Object.entries((properties ?? {}) as JsonObject)
  const requiredKeys = schemas
    .map(([key]) => key)
    .filter(key => Array.isArray(required) && required.includes(key))
  const own = fc.record(Object.fromEntries(schemas.map(([key, member]) => [key, sample(member)])), {
    requiredKeys,
    noNullPrototype: true,
  })
  const more: fc.Arbitrary<JsonValue> = parts.length === 0 ? fc.constant({}) : fc.oneof(...parts)
  return fc.tuple(own, more).map(([left, right]) => ({ ...left, ...(isPlainObject(right) ? right : {}) }))
}

/** The first two keywords always, the others sometimes. */
function keywords(forms: Record<string, fc.Arbitrary<JsonValue>>): fc.Arbitrary<JsonObject> {
  return fc.record(forms, {
    requiredKeys: Object.keys(forms).slice(0, 2),
    noNullPrototype: true,
  }) as fc.Arbitrary<JsonObject>
}

function members(value: fc.Arbitrary<JsonValue>, maxKeys: number): fc.Arbitrary<JsonObject> {
  return fc.dictionary(name, value, plain(maxKeys))
}

function plain(maxKeys: number): fc.DictionaryConstraints {
  return { maxKeys, noNullPrototype: true }
}

function branching([condition, met, unmet]: [JsonValue, JsonValue, JsonValue]): JsonObject {
  return Object.fromEntries([
    ['if', condition],
    ['then', met],
    ['else', unmet],
  ])
}
