import { type RiskLevel, riskLevels } from '../../shared/contract/action/proposal-schema.ts'
import type { Decision } from '../../shared/contract/action/verdict.ts'
import { isPlainObject, type JsonObject, type JsonValue } from '../../shared/contract/base/json.ts'
import type { Catalog, CatalogOperation } from '../../shared/contract/configuration/catalog.ts'
import type { Constraint, PolicyInput } from '../../shared/contract/configuration/policy.ts'
import type { OutcomeQuery, Where } from '../../shared/contract/configuration/verification-schema.ts'
import { readCatalog, readPolicy } from '../../shared/gate/read-documents.ts'
import type { Subject } from '../../shared/policy-analysis/operations.ts'
import { changedSchema } from './changed-schema.ts'
import { everyValue } from './every-value.ts'
import { fitting } from './fitting.ts'
import type { Chance } from './random.ts'
import { parameterSchema } from './random-schema.ts'
import { numberOf, paths, value } from './random-values.ts'

export const systems = ['a', 'b']
export const operations = ['x', 'y']

/** Documents that the gate takes; draws until they are. */
export function randomSubject(chance: Chance, options: { outside: boolean }): Subject {
  for (;;) {
    const catalog = chance.maybe(0.75) ? readCatalog(randomCatalog(chance, options)) : null
    const policy = readPolicy(randomPolicy(chance, catalog?.ok ? catalog.catalog : null))
    if (!policy.ok || catalog?.ok === false) continue
    const mode = chance.maybe(0.2) ? 'strict' : 'basic'
    return { policy: policy.policy, catalog: catalog?.ok ? catalog.catalog : null, mode }
  }
}

/** The same documents with a change or two. */
export function changedSubject(before: Subject, chance: Chance, options: { outside: boolean }): Subject {
  const other = randomSubject(chance, options)
  const policy = { ...before.policy }
  if (chance.maybe(0.3)) policy.parameter_constraints = other.policy.parameter_constraints
  if (chance.maybe(0.2)) policy.allowed_operations = other.policy.allowed_operations
  if (chance.maybe(0.2)) policy.approval_required_at = other.policy.approval_required_at
  const catalogs = [before.catalog, other.catalog, ...Array(4).fill(changedCatalog(before.catalog, chance))]
  return { policy, catalog: chance.one(catalogs), mode: before.mode }
}

/** Constants that fit the schemas at a path, and others. */
type Constants = (path: string) => JsonValue

function constantsFor(catalog: Catalog | null, chance: Chance): Constants {
  const schemas = catalog?.operations.map(entry => entry.parameter_schema) ?? []
  return path => {
    if (schemas.length === 0 || chance.maybe(0.3)) return value(chance)
    let found: JsonValue | undefined = fitting(chance.one(schemas), [], chance)
    for (const name of path.split('.')) {
      const object: JsonObject = isPlainObject(found) ? found : {}
      found = object[name]
    }
    return found ?? value(chance)
  }
}

/** With a keyword or two in its schemas changed; as it was where that makes no catalog. */
function changedCatalog(catalog: Catalog | null, chance: Chance): Catalog | null {
  if (catalog === null) return null
  const operations = catalog.operations.map(entry => ({
    ...entry,
    parameter_schema: changedSchema(entry.parameter_schema, chance),
  }))
  const read = readCatalog({ operations })
  return read.ok ? read.catalog : catalog
}

function randomPolicy(chance: Chance, catalog: Catalog | null): PolicyInput {
  const constants = constantsFor(catalog, chance)
  return {
    allowed_systems: chance.some(systems, 0.9),
    allowed_operations: record(chance.some(systems, 0.6), () => chance.some(operations, 0.9)),
    parameter_constraints: record(chance.some(systems, 0.8), () =>
      record(chance.some(operations, 0.8), () =>
        record(chance.some(paths, 0.25), path => constraint(chance, () => constants(path))),
      ),
    ),
    approval_required_at: chance.one(riskLevels),
    review_route: 'ops',
  }
}

function constraint(chance: Chance, constant: () => JsonValue): Constraint {
  return {
    ...(chance.maybe(0.4) ? { required: chance.maybe(0.5) } : {}),
    ...(chance.maybe(0.15) ? { equals: constant() } : {}),
    ...(chance.maybe(0.25) ? { one_of: [constant(), constant(), constant()] } : {}),
    ...(chance.maybe(0.3) ? { min: numberOf(chance) } : {}),
    ...(chance.maybe(0.3) ? { max: numberOf(chance) } : {}),
  }
}

function randomCatalog(chance: Chance, options: { outside: boolean }): Catalog {
  const pairs = systems.flatMap(system => operations.map(operation => ({ system, operation })))
  return {
    operations: chance.some(pairs, 0.8).map(
      (pair): CatalogOperation => ({
        ...pair,
        title: 'Random',
        parameter_schema: parameterSchema(chance, options),
        minimum_risk: chance.one(riskLevels),
        effects: chance.some(['moves money', 'sends mail'], 0.5),
        reversibility: chance.one(['reversible', 'compensatable', 'irreversible'] as const),
        actuator: { name: pair.system, kind: 'mock' },
        idempotency: 'none',
        tool_schema_hash: null,
      }),
    ),
  }
}

/** A query, often one that leaves one value of a parameter at most. */
export function randomQuery(chance: Chance, subject: Subject): OutcomeQuery {
  const exhausting = chance.maybe(0.35) ? exhaustingQuery(chance, subject) : null
  return exhausting ?? anyQuery(chance, subject)
}

function exhaustingQuery(chance: Chance, { catalog }: Subject): OutcomeQuery | null {
  const found = (catalog?.operations ?? []).flatMap(({ system, operation, parameter_schema }) =>
    Object.entries((parameter_schema.properties ?? {}) as JsonObject).flatMap(([name, schema]) => {
      const values = everyValue(schema)
      return values === null ? [] : [{ system, operation, name, values }]
    }),
  )
  if (found.length === 0) return null
  const { name, values, ...target } = chance.one(found)
  const excluded = chance.maybe(0.5) ? values : values.filter(value => value !== chance.one(values))
  const where = { [name]: { present: true, not: { one_of: excluded } } }
  return { name: 'random', decision: chance.one(['allow', 'needs_approval'] as const), ...target, where }
}

function anyQuery(chance: Chance, { catalog }: Subject): OutcomeQuery {
  const constants = constantsFor(catalog, chance)
  const levels: RiskLevel[] = chance.some(riskLevels, 0.6)
  const decisions: Decision[] = ['allow', 'allow', 'needs_approval', 'deny']
  return {
    name: 'random',
    decision: chance.one(decisions),
    ...(chance.maybe(0.5) ? { system: chance.one([...systems, 'c']) } : {}),
    ...(chance.maybe(0.5) ? { operation: chance.one([...operations, 'z']) } : {}),
    where: record(chance.some(paths, 0.25), path => where(chance, 0, () => constants(path))),
    ...(chance.maybe(0.2) && levels.length > 0 ? { claimed_risk: levels } : {}),
    ...(chance.maybe(0.2) ? { effective_risk: { min: chance.one(riskLevels) } } : {}),
    ...(chance.maybe(0.1) ? { effects_any: ['moves money'] } : {}),
    ...(chance.maybe(0.1) ? { reversibility: 'irreversible' as const } : {}),
    ...(chance.maybe(0.1) ? { catalogued: chance.maybe(0.5) } : {}),
  }
}

function where(chance: Chance, depth: number, constant: () => JsonValue): Where {
  if (depth < 2 && chance.maybe(0.3)) {
    return { not: where(chance, depth + 1, constant), ...(chance.maybe(0.5) ? { present: true } : {}) }
  }
  const some = () => Array.from({ length: 2 + chance.below(5) }, constant)
  const forms: (() => Where)[] = [
    () => ({ equals: constant() }),
    () => ({ one_of: some() }),
    () => ({ one_of: some() }),
    () => ({ min: numberOf(chance) }),
    () => ({ max: numberOf(chance) }),
    () => ({ min: numberOf(chance), max: numberOf(chance) }),
    () => ({ present: chance.maybe(0.7) }),
    () => ({ missing: chance.maybe(0.5) }),
  ]
  return chance.one(forms)()
}

function record<Value>(names: readonly string[], make: (name: string) => Value): Record<string, Value> {
  return Object.fromEntries(names.map(name => [name, make(name)]))
}

/** Constants that documents and queries hold, wherever they stand. */
export function constantsIn(document: JsonValue): JsonValue[] {
  if (Array.isArray(document)) return [document, ...document.flatMap(constantsIn)]
  if (typeof document !== 'object' || document === null) return [document]
  return [document, ...Object.values(document).flatMap(constantsIn)]
}
