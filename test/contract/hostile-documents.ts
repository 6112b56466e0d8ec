import fc from 'fast-check'
import type { JsonObject, JsonValue } from '../../shared/contract/base/json.ts'
import { exampleOperation } from '../../shared/contract/examples/example-policy.ts'

/** The documents that a tenant is made with. */
export interface HostileTenant {
  policy: object
  catalog?: object
}

/** Names that mean something to JavaScript, to templates, to paths or to readers. */
const names = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  '__defineGetter__',
  'then',
  'toJSON',
  'length',
  '0',
  '$ref',
  '$defs',
  '~1',
  '%2e%2e',
  '{{secret}}',
  '"""',
  "'\\",
  '\u202e\u2028',
  '😀',
  ' ',
]
const name = fc.constantFrom(...names)
/** The strict reader refuses the first of them as a member, before anything is made of the rest. */
const member = fc.constantFrom(...names.slice(1))
/** A way through objects, sometimes a very long one. */
const path = fc.oneof(
  { weight: 6, arbitrary: fc.array(member, { minLength: 1, maxLength: 3 }).map(parts => parts.join('.')) },
  { weight: 1, arbitrary: fc.constantFrom('a.__proto__', '__proto__.a', 'a.__proto__.b') },
  { weight: 1, arbitrary: fc.constantFrom(Array(100).fill('a').join('.'), 'x'.repeat(200)) },
)
/** Now and then the one that nothing can have. */
const requiredName = fc.oneof({ weight: 20, arbitrary: member }, { weight: 1, arbitrary: name })
const number = fc.constantFrom(0, -0, 1, -1, 0.1, 5e-324, 1e-300, 1e300, 1.7e308, -1.7e308, 2 ** 53 - 1)
const count = fc.constantFrom(0, 1, 100, 65_536, 2 ** 31, 2 ** 53 - 1)
const value: fc.Arbitrary<JsonValue> = fc.oneof(
  name,
  number,
  fc.constantFrom<JsonValue>(null, true, [], {}, [[[]]]),
  record(member, number),
)

/** One bound each: of several most contradict each other, and are refused. */
const constraint = fc.oneof(
  ...Object.entries({
    required: fc.boolean(),
    equals: value,
    one_of: fc.array(value, { minLength: 1, maxLength: 3 }),
    min: number,
    max: number,
  }).map(([key, bound]) => (bound as fc.Arbitrary<JsonValue>).map(made => ({ [key]: made }))),
)

const policy = fc.record({
  allowed_systems: fc.constant(['payments', 'constructor']),
  allowed_operations: fc.constantFrom({}, { payments: ['refund', 'toString'] }),
  parameter_constraints: record(
    fc.constantFrom('payments', 'constructor'),
    record(fc.constantFrom('refund', 'toString', 'example'), record(path, constraint)),
  ),
  approval_required_at: fc.constantFrom('low', 'medium', 'high'),
  review_route: fc.oneof({ weight: 1, arbitrary: name }, { weight: 4, arbitrary: fc.constant('leads') }),
})

const leaf: fc.Arbitrary<JsonObject> = fc.oneof(
  keywords('string', { minLength: count, maxLength: count }),
  keywords('number', {
    minimum: number,
    maximum: number,
    exclusiveMinimum: number,
    exclusiveMaximum: number,
    multipleOf: number,
  }),
  keywords('integer', { minimum: number, multipleOf: number }),
  fc.record({ enum: fc.array(value, { minLength: 1, maxLength: 2 }) }),
  fc.record({ const: value }),
)

const schema = fc.letrec<{ any: JsonObject; list: JsonObject; object: JsonObject }>(tie => ({
  any: fc.oneof({ depthSize: 'small' }, leaf, tie('list'), tie('object')),
  list: keywords('array', { minItems: count, uniqueItems: fc.boolean(), items: tie('any') }, ['items']),
  object: keywords(
    'object',
    {
      additionalProperties: fc.constant(false),
      properties: record(member, tie('any')),
      required: fc.uniqueArray(requiredName, { maxLength: 3 }),
      dependentRequired: record(member, fc.uniqueArray(requiredName, { maxLength: 2 })),
      propertyNames: fc.record({ enum: fc.uniqueArray(name, { minLength: 1, maxLength: 3 }) }),
    },
    ['additionalProperties', 'properties'],
  ),
})).object

const catalog = fc
  .tuple(schema, fc.oneof({ weight: 1, arbitrary: name }, { weight: 4, arbitrary: fc.constant('Refund') }))
  .map(([parameter_schema, title]) => ({
    operations: [{ ...exampleOperation, title, parameter_schema, effects: [title] } as unknown as JsonObject],
  }))

/** Documents of a tenant that somebody means ill with; some of them are refused. */
export const hostileTenants: fc.Arbitrary<HostileTenant> = fc.record(
  { policy, catalog },
  { requiredKeys: ['policy'], noNullPrototype: true },
)

function keywords(
  type: string,
  others: Record<string, fc.Arbitrary<JsonValue>>,
  required: string[] = [],
): fc.Arbitrary<JsonObject> {
  return fc.record(
    { type: fc.constant(type), ...others },
    { requiredKeys: ['type', ...required] as never[], noNullPrototype: true },
  ) as fc.Arbitrary<JsonObject>
}

/** An object with own members only, whatever they are called. */
function record<Value>(key: fc.Arbitrary<string>, content: fc.Arbitrary<Value>): fc.Arbitrary<JsonObject> {
  return fc
    .uniqueArray(fc.tuple(key, content), { maxLength: 3, selector: ([text]) => text })
    .map(pairs => Object.fromEntries(pairs) as JsonObject)
}
