import { actuatorKinds } from '../contract/actuator.ts'
import type { CatalogOperation } from '../contract/catalog.ts'
import type { Issue } from '../contract/errors.ts'
import { pathText } from '../contract/issues.ts'
import { isPlainObject } from '../contract/json.ts'
import { readSchema, type SchemaProblems } from './closed-schema.ts'
import { createPatternReader, type PatternReader } from './schema/pattern-reader.ts'

/**
 * What a catalog's shape does not tell: schemas that are not closed, and two entries for one operation. Takes any list
 * and passes over what is not well formed.
 */
export function catalogProblems(operations: unknown): SchemaProblems {
  if (!Array.isArray(operations)) return { errors: [], warnings: [] }
  const patterns = createPatternReader()
  const schemas = operations.map((entry: unknown, index) => schemaProblems(entry, index, patterns))
  return {
    errors: [...duplicates(operations), ...schemas.flatMap(({ errors }) => errors)],
    warnings: schemas.flatMap(({ warnings }) => warnings),
  }
}

/** Warnings for entries that admit nothing, or that a reviewer seems to have left unfinished. */
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
