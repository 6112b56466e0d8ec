import { type Issue, pathText } from '../contract/base/errors.ts'
import { isPlainObject, type JsonValue } from '../contract/base/json.ts'
import { limits } from '../contract/base/limits.ts'
import type { Slices } from '../contract/base/slices.ts'
import { actuatorKinds } from '../contract/configuration/actuator-schema.ts'
import type { CatalogOperation } from '../contract/configuration/catalog.ts'
import { createPatternReader, type PatternReader } from '../json-schema/linear-pattern.ts'
import { subschemasOf } from '../json-schema/subschemas.ts'
import { readSchema, type SchemaProblems } from './closed-schema.ts'

/**
 * Finds problems that the shape of a catalog does not show: schemas that are not closed, and two entries for one
 * operation. The input may be any list; malformed entries are skipped.
 */
export function* catalogProblems(operations: unknown): Slices<SchemaProblems> {
  if (!Array.isArray(operations)) return { errors: [], warnings: [] }
  const patterns = createPatternReader()
  const found: SchemaProblems = { errors: duplicates(operations), warnings: [] }
  for (const [index, entry] of operations.entries()) {
    if (found.errors.length > limits.problems_max) break
    yield* compileTexts(entry, patterns)
    const { errors, warnings } = schemaProblems(entry, index, patterns)
    found.errors.push(...errors)
    found.warnings.push(...warnings)
    yield
  }
  return found
}

/**
 * Compiles each pattern in its own slice, because compiling patterns takes the most time. The reader caches the
 * patterns.
 */
function* compileTexts(entry: unknown, patterns: PatternReader): Slices<void> {
  if (!isPlainObject(entry) || !isPlainObject(entry.parameter_schema)) return
  const open: JsonValue[] = [entry.parameter_schema]
  for (let schema = open.pop(); schema !== undefined; schema = open.pop()) {
    if (!isPlainObject(schema)) continue
    const { pattern, patternProperties } = schema
    const names = isPlainObject(patternProperties) ? Object.keys(patternProperties) : []
    for (const text of [...(typeof pattern === 'string' ? [pattern] : []), ...names]) {
      patterns(text)
      yield
    }
    open.push(...subschemasOf({ schema, path: [] }).map(inner => inner.schema))
  }
}

export function idleEntries(operations: readonly CatalogOperation[]): Issue[] {
  return operations.flatMap((entry, index) => idleEntry(entry, ['operations', index]))
}

function schemaProblems(entry: unknown, index: number, patterns: PatternReader): SchemaProblems {
  if (!isPlainObject(entry) || !isPlainObject(entry.parameter_schema)) return { errors: [], warnings: [] }
  return readSchema(entry.parameter_schema, ['operations', index, 'parameter_schema'], patterns)
}

function duplicates(operations: readonly unknown[]): Issue[] {
  const seen = new Map<string, number>()
  return operations.flatMap((entry, index) => {
    if (!isPlainObject(entry) || typeof entry.system !== 'string' || typeof entry.operation !== 'string')
      return []
    const key = JSON.stringify([entry.system, entry.operation])
    const first = seen.get(key)
    if (first === undefined) {
      seen.set(key, index)
      return []
    }
    return [issue(['operations', index], 'duplicate_operation', `is entered before, as operations[${first}]`)]
  })
}

function idleEntry(entry: CatalogOperation, path: readonly (string | number)[]): Issue[] {
  const { system, actuator, effects, tool_schema_hash } = entry
  const known = actuatorKinds.some(kind => kind === actuator.kind)
  const at = (name: string) => [...path, name]
  return [
    ...(actuator.name === system
      ? []
      : [
          issue(
            at('actuator'),
            'binding_never_matches',
            'the actuator of a system has the name of the system',
          ),
        ]),
    ...(known
      ? []
      : [issue(at('actuator'), 'binding_never_matches', 'no actuator of this kind can be registered')]),
    ...(['mock', 'http'].includes(actuator.kind) && tool_schema_hash !== null
      ? [
          issue(
            at('tool_schema_hash'),
            'commitment_never_matches',
            `no ${actuator.kind} actuator has a tool schema`,
          ),
        ]
      : []),
    ...(effects.length > 0 ? [] : [issue(at('effects'), 'no_effects', 'no effect was reviewed')]),
  ]
}

function issue(path: readonly (string | number)[], code: string, message: string): Issue {
  return { path: pathText(path), code, message }
}
