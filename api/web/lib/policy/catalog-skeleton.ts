import type { JsonObject, JsonValue } from '../../../../shared/contract/base/json.ts'
import type { Catalog, CatalogOperation } from '../../../../shared/contract/configuration/catalog.ts'
import type { Constraint, PolicyInput } from '../../../../shared/contract/configuration/policy.ts'

/** The largest number of operations in a drafted catalog, because a person cannot review more at once. */
export const skeletonOperationsMax = 500

/**
 * Drafts a catalog for a person to complete. Lists the operations of a policy, and only those parameters that have
 * conditions. Unknown properties get the riskiest value.
 */
export function catalogSkeleton(policy: PolicyInput): Catalog {
  const operations = policy.allowed_systems.flatMap(system =>
    (policy.allowed_operations?.[system] ?? []).map(operation =>
      entryOf(system, operation, policy.parameter_constraints?.[system]?.[operation] ?? {}),
    ),
  )
  return { operations: operations.slice(0, skeletonOperationsMax) }
}

function entryOf(
  system: string,
  operation: string,
  constraints: Readonly<Record<string, Constraint>>,
): CatalogOperation {
  return {
    system,
    operation,
    title: `${operation} on ${system}`,
    parameter_schema: schemaOf(constraints),
    minimum_risk: 'medium',
    effects: [],
    reversibility: 'irreversible',
    actuator: { name: system, kind: 'mock' },
    idempotency: 'none',
    tool_schema_hash: null,
  }
}

function schemaOf(constraints: Readonly<Record<string, Constraint>>): JsonObject {
  const root = closed()
  for (const [path, constraint] of Object.entries(constraints)) place(root, path.split('.'), constraint)
  return root
}

interface Closed extends JsonObject {
  type: 'object'
  properties: JsonObject
  required: string[]
  additionalProperties: false
}

function closed(): Closed {
  return { type: 'object', properties: {}, required: [], additionalProperties: false }
}

/** Adds a constraint to a schema. A parameter that has nested parameters always becomes an object. */
function place(parent: Closed, [name = '', ...below]: string[], constraint: Constraint): void {
  const known = parent.properties[name]
  if ((constraint.required ?? true) && !parent.required.includes(name)) parent.required.push(name)
  if (below.length === 0) {
    if (!isClosed(known)) parent.properties[name] = leafOf(constraint)
    return
  }
  const inner = isClosed(known) ? known : closed()
  parent.properties[name] = inner
  place(inner, below, constraint)
}

function isClosed(value: JsonValue | undefined): value is Closed {
  return typeof value === 'object' && value !== null && 'properties' in value
}

function leafOf({ equals, one_of, min, max }: Constraint): JsonObject {
  const values = one_of ?? (equals === undefined ? undefined : [equals])
  if (min !== undefined || max !== undefined)
    return {
      type: 'number',
      ...(min === undefined ? {} : { minimum: min }),
      ...(max === undefined ? {} : { maximum: max }),
    }
  if (!values) return { type: 'string' }
  const types = [...new Set(values.map(typeOf))]
  return { type: types.length === 1 ? (types[0] ?? 'string') : types, enum: [...values] }
}

function typeOf(value: JsonValue): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}
