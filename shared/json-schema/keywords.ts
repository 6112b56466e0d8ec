import type { JsonObject, JsonValue } from '../contract/base/json.ts'

/** The form of a keyword's value; `value-form.ts` defines each one. */
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
  /** The type of value that the keyword checks. Values of other types pass. */
  about?: 'string' | 'number' | 'array' | 'object'
  /**
   * The target of the subschemas: the same value (`here`), its contents (`inside`), some of its contents, or
   * its names.
   */
  applies?: 'here' | 'inside' | 'some' | 'names'
  /** Keywords of which at least one must be present as well, because this keyword has no effect alone. */
  beside?: readonly string[]
  top?: true
  /** True if the keyword only informs a reader; `unchecked` if a reader might wrongly expect a check. */
  annotation?: true | 'unchecked'
}

/**
 * The supported part of JSON Schema 2020-12. It lacks obsolete keywords and those that reach outside the
 * document (`$id`, `$anchor`, `$dynamicRef`). It lacks `unevaluatedItems`, because `items` can replace it.
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

/** The check of a keyword. `asked` is the keyword's value, and `holder` is the schema around the keyword. */
export interface Rule {
  meets(asked: JsonValue, value: JsonValue, holder: JsonObject, judgement: Judgement): boolean
  blame?(blamed: Blamed, judgement: Judgement): void
}

export interface Blamed {
  asked: JsonValue
  value: JsonValue
  holder: JsonObject
  place: string
}

export interface Judgement {
  meets(schema: JsonValue, value: JsonValue): boolean
  blame(schema: JsonValue, value: JsonValue, place: string): void
  fault(place: string, keyword: string, asked?: JsonValue, holder?: JsonObject): void
  definition(reference: JsonValue): JsonValue
  /** Matches a text, and spends steps in proportion to the text and the pattern. */
  matches(pattern: string, text: string): boolean
  /** Spends steps of about 10 ns each. Too many steps end the judgement. */
  spend(steps: number): void
}
