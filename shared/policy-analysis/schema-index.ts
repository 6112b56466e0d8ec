import { canonicalJson } from '../canon/canonical-json.ts'
import { isPlainObject, type JsonObject, type JsonValue } from '../contract/base/json.ts'
import { judgeParameters } from '../json-schema/judge-parameters.ts'
import { isModelled, withDefinitions } from './keyword-treatment.ts'
import { type Facts, readFacts } from './schema-facts.ts'
import { unmodelledIn } from './unmodelled.ts'

export interface Asked {
  readonly book: SchemaIndex
  readonly schema: JsonValue
}

export class SchemaIndex {
  readonly root: JsonObject
  private readonly read = new Map<JsonValue, Facts>()
  private readonly wrapped = new Map<JsonValue, JsonObject>()
  private readonly relaxations = new Map<JsonValue, JsonValue>()
  private readonly texts = new Map<JsonValue, string>()
  private readonly unmodelled = new Map<JsonValue, boolean>()
  private readonly relaxedDefinitions: JsonValue

  constructor(root: JsonObject) {
    this.root = root
    this.relaxedDefinitions = isPlainObject(root.$defs) ? mapMembers(root.$defs, relax) : {}
  }

  facts(schema: JsonValue): Facts {
    return remembered(this.read, schema, () => readFacts(schema, this.root))
  }

  /** Judges a value against a schema exactly as the gate does. */
  meets(schema: JsonValue, value: JsonValue): boolean {
    const definitions = this.root.$defs ?? {}
    return this.judge(this.wrapped, { schema, definitions }, value)
  }

  /** Judges a value without the unmodelled keywords. Every value that meets the schema passes. */
  meetsRelaxed(schema: JsonValue, value: JsonValue): boolean {
    const relaxed = remembered(this.relaxations, schema, () => relax(schema))
    return this.judge(this.wrapped, { schema: relaxed, definitions: this.relaxedDefinitions }, value)
  }

  isUnmodelled(schema: JsonValue): boolean {
    return remembered(this.unmodelled, schema, () => unmodelledIn(schema, this.root).length > 0)
  }

  /** Returns a text that includes the schema's definitions, so that equal texts are equal schemas. */
  text(schema: JsonValue): string {
    return remembered(this.texts, schema, () => withDefinitions(canonicalJson(schema), this.root))
  }

  private judge(
    wrapped: Map<JsonValue, JsonObject>,
    { schema, definitions }: { schema: JsonValue; definitions: JsonValue },
    value: JsonValue,
  ): boolean {
    if (!isPlainObject(schema)) return schema !== false
    const whole = remembered(wrapped, schema, () => ({ properties: { value: schema }, $defs: definitions }))
    return judgeParameters(whole, { value }) === null
  }
}

/** Removes unmodelled keywords. The result accepts everything that the schema accepts, and perhaps more. */
function relax(schema: JsonValue): JsonValue {
  if (!isPlainObject(schema)) return schema
  const kept = Object.entries(schema).filter(([keyword, asked]) => isKept(keyword, asked, schema))
  return Object.fromEntries(kept.map(([keyword, asked]) => [keyword, relaxKeyword(keyword, asked)]))
}

/**
 * Returns true if a keyword is kept. `additionalProperties` goes with `patternProperties`, and `items` with
 * `prefixItems`, because relaxing must never narrow a schema.
 */
function isKept(keyword: string, asked: JsonValue, schema: JsonObject): boolean {
  if (keyword === 'additionalProperties') return schema.patternProperties === undefined
  if (keyword === 'items') return schema.prefixItems === undefined
  return isModelled(keyword, asked) && keyword !== '$defs'
}

function relaxKeyword(keyword: string, asked: JsonValue): JsonValue {
  if (keyword === 'items') return relax(asked)
  if ((keyword === 'anyOf' || keyword === 'allOf') && Array.isArray(asked)) return asked.map(relax)
  return keyword === 'properties' && isPlainObject(asked) ? mapMembers(asked, relax) : asked
}

function mapMembers(object: JsonObject, map: (value: JsonValue) => JsonValue): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, map(value)]))
}

function remembered<Key, Value>(known: Map<Key, Value>, key: Key, make: () => Value): Value {
  const before = known.get(key)
  if (before !== undefined) return before
  const fresh = make()
  known.set(key, fresh)
  return fresh
}
