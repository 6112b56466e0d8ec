import { canonicalJson } from '../canon/canonical-json.ts'
import { isPlainObject, type JsonObject, type JsonValue } from '../contract/base/json.ts'
import { isSmallPattern } from './search/text-space.ts'

/**
 * The treatment of each keyword that the schema reader accepts. A `modelled` keyword is decided exactly. The
 * gate does not check a `silent` keyword. An `opaque` keyword is an atom: a value meets it or not, and the
 * analysis knows no more. A `pattern` is opaque if its automaton is too large.
 */
const keywordsBy = {
  modelled: [
    '$ref',
    'allOf',
    'anyOf',
    'type',
    'enum',
    'const',
    'minLength',
    'maxLength',
    'pattern',
    'minimum',
    'maximum',
    'exclusiveMinimum',
    'exclusiveMaximum',
    'multipleOf',
    'items',
    'minItems',
    'maxItems',
    'properties',
    'additionalProperties',
    'required',
  ],
  silent: [
    '$schema',
    '$defs',
    '$comment',
    'title',
    'description',
    'default',
    'examples',
    'deprecated',
    'readOnly',
    'writeOnly',
    'format',
    'contentEncoding',
    'contentMediaType',
  ],
  opaque: [
    'oneOf',
    'not',
    'if',
    'then',
    'else',
    'prefixItems',
    'contains',
    'minContains',
    'maxContains',
    'uniqueItems',
    'patternProperties',
    'unevaluatedProperties',
    'propertyNames',
    'dependentRequired',
    'dependentSchemas',
    'minProperties',
    'maxProperties',
  ],
} as const
type Treatment = keyof typeof keywordsBy

export const keywordTreatments: Readonly<Record<string, Treatment>> = Object.fromEntries(
  Object.entries(keywordsBy).flatMap(([treatment, keywords]) =>
    keywords.map(keyword => [keyword, treatment as Treatment]),
  ),
)

export function isModelled(keyword: string, asked: JsonValue): boolean {
  const treatment = Object.hasOwn(keywordTreatments, keyword) ? keywordTreatments[keyword] : 'opaque'
  if (keyword === 'uniqueItems' && asked === false) return true
  return treatment !== 'opaque' && (keyword !== 'pattern' || isSmallPattern(String(asked)))
}

/** Sibling keywords that change the effect of an opaque keyword, so that they belong to its text. */
const readBeside: Readonly<Record<string, readonly string[]>> = {
  if: ['then', 'else'],
  contains: ['minContains', 'maxContains'],
  prefixItems: ['items'],
  patternProperties: ['additionalProperties'],
}

/** Returns the opaque keywords of a schema as texts. Equal texts are the same atom, even in two documents. */
export function atomsOf(schema: JsonObject, root: JsonObject): string[] {
  return Object.entries(schema)
    .filter(([keyword, asked]) => !isModelled(keyword, asked))
    .map(([keyword]) => withDefinitions(canonicalJson([keyword, askedBy(schema, keyword)]), root))
}

export function withDefinitions(text: string, root: JsonObject): string {
  return text.includes('"$ref"') ? text + canonicalJson(root.$defs ?? {}) : text
}

function askedBy(schema: JsonObject, keyword: string): JsonValue {
  if (keyword === 'unevaluatedProperties') return schema
  const names = [keyword, ...(readBeside[keyword] ?? [])]
  const asked = names.map(name => (Object.hasOwn(schema, name) ? (schema[name] ?? null) : null))
  const named = keyword === 'patternProperties' && isPlainObject(schema.properties)
  return named ? [...asked, Object.keys(schema.properties as JsonObject).sort()] : asked
}
