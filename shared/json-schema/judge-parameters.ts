import { isPlainObject, type JsonObject, type JsonValue } from '../contract/base/json.ts'
import { limits } from '../contract/base/limits.ts'
import { arrayRules } from './array-rules.ts'
import { compositionRules } from './composition-rules.ts'
import { expectationOf } from './expectations.ts'
import { Faults, type Violation } from './faults.ts'
import type { Judgement, Rule } from './keywords.ts'
import { createPatternStore } from './linear-pattern.ts'
import { objectRules } from './object-rules.ts'
import { scalarRules } from './scalar-rules.ts'
import { definitionIn, definitionName } from './subschemas.ts'

/**
 * Returns null for valid parameters, otherwise at most `schema_violations_max` violations and one entry for
 * the rest. `schema` must have passed `readSchema`. Parameters that need more than `schema_steps_max` steps
 * are refused. The schema is interpreted, so that no tenant's text becomes code.
 */
export function judgeParameters(schema: JsonObject, parameters: JsonObject): Violation[] | null {
  const judging = new Judging(schema)
  try {
    if (judging.meets(schema, parameters)) return null
    judging.blame(schema, parameters, '')
    return judging.faults.list()
  } catch (error) {
    if (error instanceof TooCostly) return [tooCostly]
    throw error
  }
}

const tooCostly: Violation = {
  place: '',
  keyword: 'steps',
  expected: expectationOf('steps', limits.schema_steps_max),
}

/**
 * An error that ends the judgement at the step limit, because a guessed answer could admit a value under
 * `not`.
 */
class TooCostly extends Error {}

const rules: ReadonlyMap<string, Rule> = new Map([
  ...scalarRules,
  ...arrayRules,
  ...objectRules,
  ...compositionRules,
])

/** Steps of about 10 ns for each schema and each keyword, without the work of the rules. */
const stepsPerSchema = 10
const stepsPerKeyword = 8
/** Steps for each character and instruction, even if the automaton is rebuilt all the time. */
const stepsPerMatch = 4
/**
 * Steps to compile an instruction. A cached pattern costs the same, so that verdicts do not depend on the
 * cache.
 */
const stepsPerInstruction = 200

class Judging implements Judgement {
  readonly faults = new Faults()
  private readonly root: JsonObject
  private readonly compiled = new Set<string>()
  private spent = 0

  constructor(root: JsonObject) {
    this.root = root
  }

  meets(schema: JsonValue, value: JsonValue): boolean {
    if (!isPlainObject(schema)) return schema !== false
    this.spend(stepsPerSchema)
    for (const keyword in schema) {
      const rule = rules.get(keyword)
      this.spend(stepsPerKeyword)
      if (rule && !rule.meets(schema[keyword] as JsonValue, value, schema, this)) return false
    }
    return true
  }

  blame(schema: JsonValue, value: JsonValue, place: string): void {
    if (schema === false) this.fault(place, 'false schema')
    if (!isPlainObject(schema)) return
    for (const [keyword, asked] of Object.entries(schema)) {
      const rule = rules.get(keyword)
      if (!rule || this.faults.full || rule.meets(asked, value, schema, this)) continue
      if (rule.blame) rule.blame({ asked, value, holder: schema, place }, this)
      else this.fault(place, keyword, asked, schema)
    }
  }

  fault(place: string, keyword: string, asked: JsonValue = null, holder: JsonObject = {}): void {
    this.faults.add({ place, keyword, expected: expectationOf(keyword, asked, holder) })
  }

  definition(reference: JsonValue): JsonValue {
    return definitionIn(this.root, definitionName(reference) ?? '') ?? false
  }

  matches(pattern: string, text: string): boolean {
    const linear = patterns(pattern)
    if (!this.compiled.has(pattern)) {
      this.compiled.add(pattern)
      this.spend(linear.size * stepsPerInstruction)
    }
    this.spend(linear.size * (1 + text.length) * stepsPerMatch)
    return linear.test(text)
  }

  spend(steps: number): void {
    this.spent += steps
    if (this.spent > limits.schema_steps_max)
      throw new TooCostly(`more than ${limits.schema_steps_max} steps`)
  }
}

/** The compiled patterns of this process, at most 300,000 instructions together. */
const patterns = createPatternStore(300_000)
