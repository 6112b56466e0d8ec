import type { JsonObject, JsonValue } from '../contract/base/json.ts'

/** How the value of a keyword must look; `value-form.ts` says what each form means. */
export type ValueForm =
  | 'anything'
  | 'text'
  | 'flag'
  | 'number'
  | 'positive'
  | 'count'
  | 'names'
  | 'name_lists'
  | 'types'
  | 'list'
  | 'constants'
  | 'pattern'
  | 'reference'
  | 'dialect'
  | 'false'
  | 'schema'
  | 'schemas'
  | 'named_schemas'

export interface Keyword {
  form: ValueForm
  /** The type of value the keyword looks at; values of other types pass it by. */
  about?: 'string' | 'number' | 'array' | 'object'
  /** What its subschemas are applied to: the same value, what is inside it, some of that, or its names. */
  applies?: 'here' | 'inside' | 'some' | 'names'
  /** It means something only beside one of these. */
  beside?: readonly string[]
  /** Only at the top of the document. */
  top?: true
  /** It says something to a reader and checks nothing; `unchecked`: a reader may believe that it does. */
  annotation?: true | 'unchecked'
}

/**
 * The part of JSON Schema 2020-12 that a parameter schema may use. Left out is what reaches outside the document (`$id`,
 * `$anchor`, `$dynamicRef`), what no longer belongs to the dialect, and `unevaluatedItems`, whose job `items` does.
 */
export const keywords: ReadonlyMap<string, Keyword> = new Map<string, Keyword>([
  ['$schema', { form: 'dialect', top: true, annotation: true }],
  ['$defs', { form: 'named_schemas', top: true, annotation: true }],
  ['$comment', { form: 'text', annotation: true }],
  ['title', { form: 'text', annotation: true }],
  ['description', { form: 'text', annotation: true }],
  ['default', { form: 'anything', annotation: true }],
  ['examples', { form: 'list', annotation: true }],
  ['deprecated', { form: 'flag', annotation: true }],
  ['readOnly', { form: 'flag', annotation: true }],
  ['writeOnly', { form: 'flag', annotation: true }],
  ['format', { form: 'text', annotation: 'unchecked' }],
  ['contentEncoding', { form: 'text', annotation: 'unchecked' }],
  ['contentMediaType', { form: 'text', annotation: 'unchecked' }],

  ['$ref', { form: 'reference' }],
  ['allOf', { form: 'schemas', applies: 'here' }],
  ['anyOf', { form: 'schemas', applies: 'here' }],
  ['oneOf', { form: 'schemas', applies: 'here' }],
  ['not', { form: 'schema', applies: 'here' }],
  ['if', { form: 'schema', applies: 'here', beside: ['then', 'else'] }],
  ['then', { form: 'schema', applies: 'here', beside: ['if'] }],
  ['else', { form: 'schema', applies: 'here', beside: ['if'] }],

  ['type', { form: 'types' }],
  ['enum', { form: 'constants' }],
  ['const', { form: 'anything' }],

  ['minLength', { form: 'count', about: 'string' }],
  ['maxLength', { form: 'count', about: 'string' }],
  ['pattern', { form: 'pattern', about: 'string' }],

  ['minimum', { form: 'number', about: 'number' }],
  ['maximum', { form: 'number', about: 'number' }],
  ['exclusiveMinimum', { form: 'number', about: 'number' }],
  ['exclusiveMaximum', { form: 'number', about: 'number' }],
  ['multipleOf', { form: 'positive', about: 'number' }],

  ['items', { form: 'schema', about: 'array', applies: 'inside' }],
  ['prefixItems', { form: 'schemas', about: 'array', applies: 'inside' }],
  ['contains', { form: 'schema', about: 'array', applies: 'some' }],
  ['minContains', { form: 'count', about: 'array', beside: ['contains'] }],
  ['maxContains', { form: 'count', about: 'array', beside: ['contains'] }],
  ['minItems', { form: 'count', about: 'array' }],
  ['maxItems', { form: 'count', about: 'array' }],
  ['uniqueItems', { form: 'flag', about: 'array' }],

  ['properties', { form: 'named_schemas', about: 'object', applies: 'inside' }],
  ['patternProperties', { form: 'named_schemas', about: 'object', applies: 'inside' }],
  ['additionalProperties', { form: 'false', about: 'object' }],
  ['unevaluatedProperties', { form: 'false', about: 'object' }],
  ['propertyNames', { form: 'schema', about: 'object', applies: 'names' }],
  ['required', { form: 'names', about: 'object' }],
  ['dependentRequired', { form: 'name_lists', about: 'object' }],
  ['dependentSchemas', { form: 'named_schemas', about: 'object', applies: 'here' }],
  ['minProperties', { form: 'count', about: 'object' }],
  ['maxProperties', { form: 'count', about: 'object' }],
])

/**
 * What a keyword asks of a value. `asked` is the value of the keyword, of the form that `keywords` gives it; `holder` is
 * the schema that it stands in.
 */
export interface Rule {
  meets(asked: JsonValue, value: JsonValue, holder: JsonObject, judgement: Judgement): boolean
  /** Says what is wrong with a value that does not meet the rule; where it is left out, the keyword says it. */
  blame?(blamed: Blamed, judgement: Judgement): void
}

export interface Blamed {
  asked: JsonValue
  value: JsonValue
  holder: JsonObject
  place: string
}

/** One judgement of parameters by a schema. */
export interface Judgement {
  meets(schema: JsonValue, value: JsonValue): boolean
  /** Says what is wrong with a value at a place, where it does not meet the schema and more needs to be found. */
  blame(schema: JsonValue, value: JsonValue, place: string): void
  /** Adds a fault: the keyword, and what it asks beside what. */
  fault(place: string, keyword: string, asked?: JsonValue, holder?: JsonObject): void
  /** What `#/$defs/…` refers to. */
  definition(reference: JsonValue): JsonValue
  /** Costs steps in proportion to text and pattern. */
  matches(pattern: string, text: string): boolean
  /** Pays for steps of about 10 ns: a name, a constant, a character; ends the judgement where they are too many. */
  spend(steps: number): void
}
