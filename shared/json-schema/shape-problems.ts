import { type Issue, pathText } from '../contract/base/errors.ts'
import { isPlainObject, type JsonObject, type JsonValue } from '../contract/base/json.ts'
import { type Keyword, keywords } from './keywords.ts'
import type { PatternReader } from './linear-pattern.ts'
import { definitionIn, definitionName, type Path, type Place, subschemasOf } from './subschemas.ts'
import { formProblem, isSchema } from './value-form.ts'

/**
 * Returns the problems of a schema's keywords: unknown keywords, wrong values, references that lead outside
 * or nowhere, refused patterns, and bounds that never apply. Warnings name keywords that are not checked.
 */
export function shapeProblems(root: JsonObject, path: Path, patterns: PatternReader): ShapeProblems {
  const found: ShapeProblems = { errors: [], warnings: [] }
  visit({ schema: root, path, types: null, top: true }, { root, patterns, found })
  return found
}

export interface ShapeProblems {
  errors: Issue[]
  warnings: Issue[]
}

interface Visited extends Place {
  types: readonly JsonValue[] | null
  top: boolean
}

interface Visit {
  root: JsonObject
  patterns: PatternReader
  found: ShapeProblems
}

function visit(place: Visited, visiting: Visit): void {
  const { schema, path } = place
  if (!isPlainObject(schema)) {
    if (!isSchema(schema))
      add(visiting, path, 'invalid_keyword', 'must be a schema: an object, true or false')
    return
  }
  const types = typesOf(schema) ?? place.types
  for (const [name, value] of Object.entries(schema)) {
    const keyword = keywords.get(name)
    if (keyword) judge({ name, keyword, value, holder: schema, types, place }, visiting)
    else add(visiting, [...path, name], 'unknown_keyword', unknownKeyword(name))
  }
  for (const { schema: inner, path: at, keyword, applies } of subschemasOf(place)) {
    if (keyword === 'patternProperties') judgeNamePattern(at, visiting)
    visit({ schema: inner, path: at, types: applies === 'here' ? types : null, top: false }, visiting)
  }
}

interface Judged {
  name: string
  keyword: Keyword
  value: JsonValue
  holder: JsonObject
  types: readonly JsonValue[] | null
  place: Visited
}

function judge(judged: Judged, visiting: Visit): void {
  const { name, keyword, value, place } = judged
  const at = [...place.path, name]
  const wrong = formProblem(keyword.form, value)
  if (wrong !== null) add(visiting, at, name === '$schema' ? 'unknown_dialect' : 'invalid_keyword', wrong)
  if (keyword.top && !place.top) add(visiting, at, 'misplaced_keyword', 'belongs at the top of the schema')
  judgeUse(judged, at, visiting)
  if (wrong !== null) return
  if (requiresReserved(keyword, value)) add(visiting, at, 'reserved_name', 'no member is called __proto__')
  if (keyword.form === 'reference') judgeReference(String(value), at, visiting)
  if (keyword.form === 'pattern') judgePattern(String(value), at, visiting)
  if (keyword.form === 'false' && value !== false) {
    add(visiting, place.path, 'open_object', `is not closed: ${name} must be false`)
  }
  if (keyword.annotation === 'unchecked')
    warn(visiting, at, 'not_checked', `${name} tells a reader: nothing checks it`)
}

/**
 * Returns true if `__proto__` is required. Such a schema admits nothing, because the strict reader never
 * produces that member.
 */
function requiresReserved({ form }: Keyword, value: JsonValue): boolean {
  const lists = form === 'name_lists' && isPlainObject(value) ? Object.values(value) : [value]
  const areNames = form === 'names' || form === 'name_lists'
  return areNames && lists.some(names => Array.isArray(names) && names.includes('__proto__'))
}

/** Reports a bound that can never apply, because it would mislead a reviewer. */
function judgeUse({ keyword, holder, types }: Judged, at: Path, visiting: Visit): void {
  const { about, beside } = keyword
  if (beside && !beside.some(partner => Object.hasOwn(holder, partner))) {
    add(visiting, at, 'keyword_without_partner', `means nothing without ${beside.join(' or ')}`)
  }
  if (about === undefined || types === null || types.includes(about)) return
  if (about === 'number' && types.includes('integer')) return
  add(visiting, at, 'keyword_never_applies', `looks only at values of type ${about}, which the type excludes`)
}

function judgeReference(reference: string, at: Path, visiting: Visit): void {
  const name = definitionName(reference)
  if (name === null) {
    const message = 'must be #/$defs/ and a name of A-Za-z0-9._-: references stay inside the schema'
    add(visiting, at, 'outward_reference', message)
  } else if (definitionIn(visiting.root, name) === undefined) {
    add(visiting, at, 'missing_definition', 'leads to no definition')
  }
}

function judgePattern(pattern: string, at: Path, visiting: Visit): void {
  const read = visiting.patterns(pattern)
  if (!read.ok) add(visiting, at, 'pattern_refused', read.message)
}

/** A name that no schema lists. A pattern for names that admits this name admits almost any name. */
const unheardOf = '\u{10fffd}'

function judgeNamePattern(at: Path, visiting: Visit): void {
  const read = visiting.patterns(String(at.at(-1)))
  if (!read.ok) add(visiting, at, 'pattern_refused', read.message)
  else if (read.pattern.test(unheardOf)) {
    add(
      visiting,
      at.slice(0, -2),
      'open_object',
      'is not closed: a pattern of patternProperties admits any name',
    )
  }
}

function typesOf({ type }: JsonObject): readonly JsonValue[] | null {
  if (Array.isArray(type)) return type
  return typeof type === 'string' ? [type] : null
}

const insteadOf = new Map([
  ['$id', 'remove it: references stay inside the schema'],
  ['$anchor', 'use #/$defs/ and a name'],
  ['$dynamicRef', 'use $ref'],
  ['$dynamicAnchor', 'use #/$defs/ and a name'],
  ['definitions', 'use $defs'],
  ['dependencies', 'use dependentRequired or dependentSchemas'],
  ['additionalItems', 'use items beside prefixItems'],
  ['unevaluatedItems', 'use items'],
  ['nullable', 'add "null" to type'],
])

function unknownKeyword(name: string): string {
  const advice = insteadOf.get(name)
  return advice === undefined ? 'is not a known keyword' : `is not supported: ${advice}`
}

function add({ found }: Visit, path: Path, code: string, message: string): void {
  found.errors.push({ path: pathText(path), code, message })
}

function warn({ found }: Visit, path: Path, code: string, message: string): void {
  found.warnings.push({ path: pathText(path), code, message })
}
