import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import { isPlainObject, type JsonObject, type JsonValue } from '../../contract/json.ts'
import { limits } from '../../contract/limits.ts'
import { exactKeywords } from './exact-keywords.ts'
import { readPattern } from './linear-pattern.ts'
import { measureSchema } from './measure-schema.ts'
import { createSpending, TooCostly } from './spending.ts'
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
  const firstFault = firstFaultOf.compile(schema)
  let allFaults: ValidateFunction | null = null
  const { checks } = measureSchema(schema, [])

  const explain = (parameters: JsonObject, first: ErrorObject[]): Violation[] => {
    const faultsMax = checks * (1 + valuesIn(parameters))
    if (faultsMax > limits.schema_faults_max) return violationsOf(first, parameters)
    allFaults ??= everyFaultOf.compile(schema)
    const all = faultsOf(allFaults, parameters)
    return violationsOf(all instanceof TooCostly || all.length === 0 ? first : all, parameters)
  }

  return {
    violations(parameters) {
      const faults = faultsOf(firstFault, parameters)
      if (faults instanceof TooCostly) return [tooCostly]
      return faults.length > 0 ? explain(parameters, faults) : null
    },
  }
}

const tooCostly: Violation = { place: '', keyword: 'pattern', detail: ' (too much text to judge)' }

function faultsOf(validate: ValidateFunction, parameters: JsonObject): ErrorObject[] | TooCostly {
  spending.renew()
  try {
    return validate(parameters) ? [] : (validate.errors ?? [])
  } catch (error) {
    if (error instanceof TooCostly) return error
    throw error
  }
}

/** One judgement at a time, because judging is synchronous. */
const spending = createSpending(limits.schema_steps_max)
const firstFaultOf = createCompiler('first')
const everyFaultOf = createCompiler('all')

/** How many schemas one instance compiles: it keeps what they refer to, and goes when the last of them does. */
const schemasPerInstance = 100

function createCompiler(faults: 'first' | 'all'): { compile(schema: JsonObject): ValidateFunction } {
  let ajv: Ajv2020 | null = null
  let compiled = 0
  return {
    compile(schema) {
      if (compiled % schemasPerInstance === 0) ajv = null
      ajv ??= createAjv(faults)
      compiled += 1
      const validate = ajv.compile(schema)
      ajv.removeSchema(schema)
      return validate
    },
  }
}

/** Own names only, nothing coerced or filled in. */
function createAjv(faults: 'first' | 'all'): Ajv2020 {
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
    code: { optimize: false, regExp: linearEngine },
  })
  for (const definition of exactKeywords(spending)) {
    ajv.removeKeyword(String(definition.keyword))
    ajv.addKeyword(definition)
  }
  return ajv
}

const linearEngine = Object.assign(
  (text: string) => {
    const read = readPattern(text)
    if (!read.ok) throw new Error(`the pattern ${text} ${read.message}`)
    const { pattern } = read
    return {
      test(value: string): boolean {
        spending.spend(pattern.size * (1 + value.length))
        return pattern.test(value)
      },
      // The validator tells patterns apart by this.
      toString: () => text,
    }
  },
  { code: 'linearPattern' },
)

function valuesIn(value: JsonValue): number {
  const members = Array.isArray(value) ? value : isPlainObject(value) ? Object.values(value) : []
  return members.reduce<number>((sum, member) => sum + 1 + valuesIn(member), 0)
}
