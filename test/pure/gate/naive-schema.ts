import { isPlainObject, type JsonObject, type JsonValue } from '../../../shared/contract/base/json.ts'

/**
 * JSON Schema 2020-12 read off its specification, for the keywords that parameter schemas may use: slow and plain, and
 * sharing no code with the validator that it checks.
 */
export function naiveMeets(root: JsonObject, value: JsonValue): boolean {
  return judge(root, value, root) !== null
}

/** The names that the schema has evaluated, or null where the value does not meet it. */
type Evaluated = Set<string> | null

function judge(schema: JsonValue, value: JsonValue, root: JsonObject): Evaluated {
  if (!isPlainObject(schema)) return schema === false ? null : new Set()
  const keys = new Map(Object.entries(schema))
  if (!meetsAssertions(keys, value)) return null
  const evaluated = new Set<string>()
  for (const part of [inPlace(keys, value, root), onMembers(keys, value, root)]) {
    if (part === null) return null
    for (const name of part) evaluated.add(name)
  }
  if (!onItems(keys, value, root)) return null
  if (keys.get('unevaluatedProperties') !== false || !isPlainObject(value)) return evaluated
  return Object.keys(value).every(name => evaluated.has(name)) ? evaluated : null
}

type Keys = ReadonlyMap<string, JsonValue>

function meetsAssertions(keys: Keys, value: JsonValue): boolean {
  const assertions = new Map<string, (asked: never) => boolean>([
    ['type', (type: JsonValue) => [type].flat().some(name => typesOf(value).includes(String(name)))],
    ['enum', (constants: JsonValue[]) => constants.some(constant => same(constant, value))],
    ['const', (constant: JsonValue) => same(constant, value)],
    ['minimum', (min: number) => typeof value !== 'number' || value >= min],
    ['maximum', (max: number) => typeof value !== 'number' || value <= max],
    ['exclusiveMaximum', (max: number) => typeof value !== 'number' || value < max],
    ['exclusiveMinimum', (min: number) => typeof value !== 'number' || value > min],
    ['multipleOf', (step: number) => typeof value !== 'number' || value % step === 0],
    ['minLength', (min: number) => typeof value !== 'string' || [...value].length >= min],
    ['maxLength', (max: number) => typeof value !== 'string' || [...value].length <= max],
    ['pattern', (pattern: string) => typeof value !== 'string' || new RegExp(pattern, 'u').test(value)],
    ['minItems', (min: number) => !Array.isArray(value) || value.length >= min],
    ['maxItems', (max: number) => !Array.isArray(value) || value.length <= max],
    ['uniqueItems', (unique: boolean) => !Array.isArray(value) || !unique || areDistinct(value)],
    [
      'required',
      (names: string[]) => !isPlainObject(value) || names.every(name => namesOf(value).includes(name)),
    ],
    [
      'dependentRequired',
      (lists: Record<string, string[]>) => !isPlainObject(value) || meetsDependencies(lists, namesOf(value)),
    ],
    ['minProperties', (min: number) => !isPlainObject(value) || namesOf(value).length >= min],
    ['maxProperties', (max: number) => !isPlainObject(value) || namesOf(value).length <= max],
  ])
  return [...keys].every(([name, asked]) => assertions.get(name)?.(asked as never) ?? true)
}

function meetsDependencies(lists: Record<string, string[]>, present: readonly string[]): boolean {
  return Object.entries(lists)
    .filter(([name]) => present.includes(name))
    .every(([, names]) => names.every(name => present.includes(name)))
}

function inPlace(keys: Keys, value: JsonValue, root: JsonObject): Evaluated {
  const apply = (schema: JsonValue): Evaluated => judge(schema, value, root)
  const list = (name: string): Evaluated[] => ((keys.get(name) ?? []) as JsonValue[]).map(apply)
  const dependent = Object.entries((keys.get('dependentSchemas') ?? {}) as JsonObject)
    .filter(([name]) => isPlainObject(value) && namesOf(value).includes(name))
    .map(([, schema]) => apply(schema))
  const parts: Evaluated[] = [
    ...list('allOf'),
    ...dependent,
    apply(keys.has('$ref') ? definition(root, String(keys.get('$ref'))) : true),
    keys.has('anyOf') ? union(list('anyOf'), count => count > 0) : new Set(),
    keys.has('oneOf') ? union(list('oneOf'), count => count === 1) : new Set(),
    apply(keys.get('not') ?? false) === null ? new Set() : null,
    ...conditional(keys, apply),
  ]
  return parts.includes(null) ? null : union(parts, () => true)
}

function conditional(keys: Keys, apply: (schema: JsonValue) => Evaluated): Evaluated[] {
  if (!keys.has('if')) return []
  const condition = apply(keys.get('if') ?? true)
  if (condition === null) return [apply(keys.get('else') ?? true)]
  return [condition, apply(keys.get('then') ?? true)]
}

function union(parts: Evaluated[], holds: (count: number) => boolean): Evaluated {
  const met = parts.filter(part => part !== null)
  return holds(met.length) ? new Set(met.flatMap(part => [...part])) : null
}

function onMembers(keys: Keys, value: JsonValue, root: JsonObject): Evaluated {
  const evaluated = new Set<string>()
  if (!isPlainObject(value)) return evaluated
  const properties = Object.entries((keys.get('properties') ?? {}) as JsonObject)
  const patterns = Object.entries((keys.get('patternProperties') ?? {}) as JsonObject)
  for (const [name, member] of Object.entries(value)) {
    const schemas = [
      ...properties.filter(([property]) => property === name),
      ...patterns.filter(([pattern]) => new RegExp(pattern, 'u').test(name)),
    ]
    if (schemas.some(([, schema]) => judge(schema, member, root) === null)) return null
    if (keys.has('propertyNames') && judge(keys.get('propertyNames') ?? null, name, root) === null)
      return null
    if (schemas.length === 0 && keys.get('additionalProperties') === false) return null
    if (schemas.length > 0) evaluated.add(name)
  }
  return evaluated
}

function onItems(keys: Keys, value: JsonValue, root: JsonObject): boolean {
  if (!Array.isArray(value)) return true
  const prefix = (keys.get('prefixItems') ?? []) as JsonValue[]
  if (!value.every((item, index) => meets(prefix[index] ?? keys.get('items') ?? true, item, root)))
    return false
  const contains = keys.get('contains')
  if (contains === undefined) return true
  const count = value.filter(item => meets(contains, item, root)).length
  return (
    count >= Number(keys.get('minContains') ?? 1) && count <= Number(keys.get('maxContains') ?? value.length)
  )
}

function meets(schema: JsonValue, value: JsonValue, root: JsonObject): boolean {
  return judge(schema, value, root) !== null
}

function definition(root: JsonObject, reference: string): JsonValue {
  const found = Object.entries(root.$defs as JsonObject).find(([name]) => `#/$defs/${name}` === reference)
  return found ? found[1] : false
}

function typesOf(value: JsonValue): string[] {
  if (value === null) return ['null']
  if (Array.isArray(value)) return ['array']
  return Number.isInteger(value) ? ['number', 'integer'] : [typeof value]
}

function areDistinct(items: readonly JsonValue[]): boolean {
  return items.every((item, index) => items.slice(0, index).every(other => !same(item, other)))
}

function same(left: JsonValue, right: JsonValue): boolean {
  if (Array.isArray(left) && Array.isArray(right)) {
    return left.length === right.length && left.every((item, index) => same(item, right[index] as JsonValue))
  }
  if (!isPlainObject(left) || !isPlainObject(right)) return left === right
  const others = new Map(Object.entries(right))
  return (
    others.size === namesOf(left).length &&
    Object.entries(left).every(
      ([name, member]) => others.has(name) && same(member, others.get(name) as JsonValue),
    )
  )
}

function namesOf(value: JsonObject): string[] {
  return Object.keys(value)
}
