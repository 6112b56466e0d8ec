import { canonicalJson } from '../canon/canonical-json.ts'
import { type Issue, pathText } from '../contract/base/errors.ts'
import type { JsonObject } from '../contract/base/json.ts'
import { limits } from '../contract/base/limits.ts'
import { createPatternReader, type PatternReader } from '../json-schema/linear-pattern.ts'
import { measureSchema } from '../json-schema/measure-schema.ts'
import { composedObjects, openLevels } from '../json-schema/open-levels.ts'
import { shapeProblems } from '../json-schema/shape-problems.ts'
import type { Path } from '../json-schema/subschemas.ts'

export interface SchemaProblems {
  errors: Issue[]
  warnings: Issue[]
}

/**
 * Checks that a parameter schema is a closed JSON Schema 2020-12 (specification.md#catalogs), and reports all
 * problems at once. The top has type object. Every object, at any depth, has `additionalProperties` false (or
 * `unevaluatedProperties`, if `allOf` and `$ref` compose it). Every array declares its items, and every value has
 * a type. References lead to `#/$defs/` and do not recur. Keywords are known and have an effect where they are
 * used. Patterns run in linear time. `schema` must have passed `documentProblems`.
 */
export function readSchema(
  schema: JsonObject,
  path: Path = [],
  patterns: PatternReader = createPatternReader(),
): SchemaProblems {
  const length = canonicalJson(schema).length
  if (length > limits.catalog_schema_length_max) return { errors: [tooLong(path)], warnings: [] }
  const { errors, warnings } = shapeProblems(schema, path, patterns)
  const { checks, problems } = measureSchema(schema, path)
  const tooMany = checks > limits.catalog_schema_checks_max ? [tooManyChecks(path)] : []
  return {
    errors: distinct([
      ...(schema.type === 'object'
        ? []
        : [issue(path, 'not_an_object', 'must be of type object at the top')]),
      ...errors,
      ...problems,
      ...tooMany,
      ...(problems.length + tooMany.length > 0
        ? []
        : [...openLevels(schema, path), ...composedObjects(schema, path)]),
    ]),
    warnings: distinct(warnings),
  }
}

function tooLong(path: Path): Issue {
  return issue(path, 'too_large', `is longer than ${limits.catalog_schema_length_max} characters`)
}

function tooManyChecks(path: Path): Issue {
  const message = `makes more than ${limits.catalog_schema_checks_max} checks with its references written out`
  return issue(path, 'too_many_checks', message)
}

function issue(path: Path, code: string, message: string): Issue {
  return { path: pathText(path), code, message }
}

/** Drops duplicates, because several chains of references may lead to one problem. */
function distinct(issues: readonly Issue[]): Issue[] {
  return [...new Map(issues.map(one => [`${one.path} ${one.code}`, one])).values()]
}
