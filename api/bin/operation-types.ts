import { isPlainObject, type JsonObject, type JsonValue } from '../../shared/contract/base/json.ts'

export interface TypedOperation {
  system: string
  operation: string
  title: string
  schema: JsonObject
}

/**
 * Writes TypeScript types for the parameters of each operation. Bounds and patterns are left to the gate, so that
 * the types are never narrower than the schema.
 */
export function operationTypes(operations: readonly TypedOperation[], source: string): string {
  const byName = new Map<string, TypedOperation[]>()
  for (const one of operations) {
    const name = `${one.system}.${one.operation}`
    byName.set(name, [...(byName.get(name) ?? []), one])
  }
  const members = [...byName].sort(([one], [other]) => (one < other ? -1 : 1)).map(memberOf)
  return [
    `// Written by client:types from ${oneLine(source)}: change the catalog, and write it again.`,
    '',
    '/** Parameters by operation, for `actionGate<Operations>({ … })`. */',
    'export interface Operations {',
    ...members,
    '}',
    '',
  ].join('\n')
}

/** Operations of two systems may share a name if a system's name has a dot; the type then accepts either. */
function memberOf([name, operations]: [string, TypedOperation[]]): string {
  const titles = operations.map(({ title }) => oneLine(title).replaceAll('*/', '*\u200b/')).join('; ')
  const types = operations.map(({ schema }) => typeOf(schema, schema))
  return `  /** ${titles} */\n  ${JSON.stringify(name)}: ${unionOf(types)}`
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}

const anything = 'unknown'

/** Returns the type of a schema; `root` holds its definitions. References in a catalog never recur. */
function typeOf(schema: JsonValue | undefined, root: JsonObject): string {
  if (!isPlainObject(schema)) return anything
  const alternatives = [schema.anyOf, schema.oneOf].filter(Array.isArray)
  const parts = [
    ownType(schema, root),
    ...(typeof schema.$ref === 'string' ? [typeOf(referred(schema.$ref, root), root)] : []),
    ...(Array.isArray(schema.allOf) ? schema.allOf.map(part => typeOf(part, root)) : []),
    ...alternatives.map(list => unionOf(list.map(part => typeOf(part, root)))),
  ].filter(type => type !== anything)
  if (parts.length === 0) return anything
  return parts.length === 1 ? String(parts[0]) : parts.map(part => `(${part})`).join(' & ')
}

function referred(reference: string, root: JsonObject): JsonValue | undefined {
  const name = /^#\/\$defs\/(.+)$/.exec(reference)?.[1]?.replaceAll('~1', '/').replaceAll('~0', '~')
  return name !== undefined && isPlainObject(root.$defs) ? root.$defs[decodeURIComponent(name)] : undefined
}

function unionOf(types: readonly string[]): string {
  if (types.includes(anything)) return anything
  const different = [...new Set(types)]
  return different.length === 1 ? String(different[0]) : different.map(type => `(${type})`).join(' | ')
}

function ownType(schema: JsonObject, root: JsonObject): string {
  if ('const' in schema) return literal(schema.const)
  if (Array.isArray(schema.enum)) return unionOf(schema.enum.map(literal))
  const types = ([] as (JsonValue | undefined)[]).concat(schema.type ?? [])
  if (types.length === 0) return anything
  return unionOf(types.map(type => namedType(type, schema, root)))
}

function literal(value: JsonValue | undefined): string {
  return typeof value === 'object' && value !== null ? anything : JSON.stringify(value)
}

function namedType(type: JsonValue | undefined, schema: JsonObject, root: JsonObject): string {
  switch (type) {
    case 'string':
    case 'boolean':
    case 'null':
      return type
    case 'integer':
    case 'number':
      return 'number'
    case 'array':
      return arrayType(schema, root)
    case 'object':
      return objectType(schema, root)
    default:
      return anything
  }
}

function arrayType({ prefixItems, items, minItems }: JsonObject, root: JsonObject): string {
  const rest = typeOf(items, root)
  if (!Array.isArray(prefixItems)) return `Array<${rest}>`
  const least = typeof minItems === 'number' ? minItems : 0
  const first = prefixItems.map((item, at) => `(${typeOf(item, root)})${at < least ? '' : '?'}`)
  return `[${[...first, ...(items === false ? [] : [`...Array<${rest}>`])].join(', ')}]`
}

function objectType(schema: JsonObject, root: JsonObject): string {
  const required = new Set(Array.isArray(schema.required) ? schema.required : [])
  const properties = isPlainObject(schema.properties) ? schema.properties : {}
  const members = Object.entries(properties).map(
    ([name, inner]) => `${JSON.stringify(name)}${required.has(name) ? '' : '?'}: ${typeOf(inner, root)}`,
  )
  const named = members.length === 0 ? 'object' : `{ ${members.join('; ')} }`
  return isOpen(schema) ? `${named} & { [name: string]: unknown }` : named
}

function isOpen({ additionalProperties, patternProperties }: JsonObject): boolean {
  return (
    additionalProperties === true || isPlainObject(additionalProperties) || isPlainObject(patternProperties)
  )
}
