import type { JsonObject, JsonValue } from '../contract/base/json.ts'

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
  /** Adds a fault: the keyword, and what it asks for where a word says it. */
  fault(place: string, keyword: string, detail?: string): void
  /** What `#/$defs/…` refers to. */
  definition(reference: JsonValue): JsonValue
  /** Costs steps in proportion to text and pattern. */
  matches(pattern: string, text: string): boolean
  /** Pays for steps of about 10 ns: a name, a constant, a character; ends the judgement where they are too many. */
  spend(steps: number): void
}
