import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import { isPlainObject, type JsonObject, type JsonValue } from '../../contract/json.ts'
import { limits } from '../../contract/limits.ts'
import { exactKeywords } from './exact-keywords.ts'
import { readPattern } from './linear-pattern.ts'
import { measureSchema } from './measure-schema.ts'
import { createSpending, type Spending, TooCostly } from './spending.ts'
import { type Violation, violationsOf } from './violations.ts'

/** A parameter schema, ready to judge parameters. */
export interface CompiledSchema {
  /** What the parameters violate, at most `schema_violations_max` and one more that counts the rest; null for nothing. */
  violations(parameters: JsonObject): Violation[] | null
}

/**
 * Compiles a schema that `readSchema` found nothing wrong with. A judgement makes at most `checks` times values checks,
 * and spends at most `schema_steps_max` on texts: whatever is beyond it is a violation.
 */
export function compileSchema(schema: JsonObject): CompiledSchema {
  const spending = createSpending(limits.schema_steps_max)
  const firstFault = validator(schema, spending, 'first')
  let allFaults: ValidateFunction | null = null
  const { checks } = measureSchema(schema, [])

  const explain = (parameters: JsonObject, first: ErrorObject[]): Violation[] => {
    const faultsMax = checks * (1 + valuesIn(parameters))
    if (faultsMax > limits.schema_faults_max) return violationsOf(first, parameters)
    allFaults ??= validator(schema, spending, 'all')
    const all = faultsOf(allFaults, parameters, spending)
    return violationsOf(all instanceof TooCostly || all.length === 0 ? first : all, parameters)
  }

  return {
    violations(parameters) {
      const faults = faultsOf(firstFault, parameters, spending)
      if (faults instanceof TooCostly) return [tooCostly]
      return faults.length > 0 ? explain(parameters, faults) : null
    },
  }
}

const tooCostly: Violation = { place: '', keyword: 'pattern', detail: ' (too much text to judge)' }

function faultsOf(
  validate: ValidateFunction,
  parameters: JsonObject,
  spending: Spending,
): ErrorObject[] | TooCostly {
  spending.renew()
  try {
    return validate(parameters) ? [] : (validate.errors ?? [])
  } catch (error) {
    if (error instanceof TooCostly) return error
    throw error
  }
}

/** Own names only, nothing coerced or filled in; each with an instance of its own, which leaves with it. */
function validator(schema: JsonObject, spending: Spending, faults: 'first' | 'all'): ValidateFunction {
  const ajv = new Ajv2020({
    meta: false,
    validateSchema: false,
    strict: false,
    strictNumbers: true,
    validateFormats: false,
    ownProperties: true,
    messages: false,
    addUsedSchema: false,
    logger: false,
    allErrors: faults === 'all',
    code: { optimize: false, regExp: linearEngine(spending) },
  })
  for (const definition of exactKeywords(spending)) {
    ajv.removeKeyword(String(definition.keyword))
    ajv.addKeyword(definition)
  }
  return ajv.compile(schema)
}

function linearEngine({ spend }: Spending) {
  const engine = (text: string) => {
    const read = readPattern(text)
    if (!read.ok) throw new Error(`the pattern ${text} ${read.message}`)
    const { pattern } = read
    return {
      test(value: string): boolean {
        spend(pattern.size * (1 + value.length))
        return pattern.test(value)
      },
      // The validator tells patterns apart by this.
      toString: () => text,
    }
  }
  return Object.assign(engine, { code: 'linearPattern' })
}

function valuesIn(value: JsonValue): number {
  const members = Array.isArray(value) ? value : isPlainObject(value) ? Object.values(value) : []
  return members.reduce<number>((sum, member) => sum + 1 + valuesIn(member), 0)
}
