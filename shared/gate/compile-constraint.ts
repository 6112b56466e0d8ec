import { canonicalJson } from '../canon/canonical-json.ts'
import type { DenialCode } from '../contract/action/denials.ts'
import type { Check } from '../contract/action/verdict.ts'
import { type JsonObject, type JsonValue, valueAt } from '../contract/base/json.ts'
import type { NormalizedConstraint } from '../contract/configuration/policy.ts'
import { shorten } from '../json-schema/faults.ts'
import { failed, type ParameterCheckName, passed, type Subject, shared, skipped } from './check.ts'
import { compileHiding } from './hidden-parameter.ts'

/** One constraint on one parameter. Its checks are: presence first, then one check per key. */
export interface CompiledConstraint {
  readonly passing: readonly Check[]
  holds(parameters: JsonObject): boolean
  /** Returns the checks for parameters for which `holds` is false. This includes a missing optional parameter. */
  judge(parameters: JsonObject): Check[]
}

export function compileConstraint(path: string, constraint: NormalizedConstraint): CompiledConstraint {
  const segments = path.split('.')
  const hiding = compileHiding(path)
  const parameter: Parameter = { label: shorten(path), path: `action.parameters.${path}` }
  const rules = rulesOf(constraint)
  const present = shared(passed(about(parameter, 'parameter_present'), `${parameter.label} is present`))
  const passing = [present, ...rules.map(rule => shared(passedRule(parameter, rule)))]
  return {
    passing,
    holds: parameters => {
      const value = valueAt(parameters, segments)
      return value !== undefined && rules.every(rule => rule.holds(value)) && hiding(parameters) === null
    },
    judge: parameters => {
      const value = valueAt(parameters, segments)
      const checks =
        value === undefined
          ? whenMissing(parameter, constraint.required, rules)
          : [present, ...rules.map(rule => judgeRule(parameter, rule, value))]
      const why = hiding(parameters)
      if (why === null || checks.some(({ outcome }) => outcome === 'fail')) return checks
      return whenHidden(parameter, why, rules)
    },
  }
}

interface Parameter {
  label: string
  path: string
}

/** One key of a constraint. `phrase` completes both "amount is …" and "amount must be …". */
interface Rule {
  check: ParameterCheckName
  code: DenialCode
  phrase: string
  /** True if the rule ignores a value that is not a number, because another rule already fails that value. */
  numeric: boolean
  holds(value: JsonValue): boolean
}

function rulesOf({ equals, one_of, min, max }: NormalizedConstraint): Rule[] {
  const bounded = min !== undefined || max !== undefined
  return [
    ...(equals === undefined ? [] : [equalsRule(equals)]),
    ...(one_of === undefined ? [] : [oneOfRule(one_of)]),
    ...(bounded ? [numberRule] : []),
    ...(min === undefined ? [] : [minRule(min)]),
    ...(max === undefined ? [] : [maxRule(max)]),
  ]
}

function equalsRule(constant: JsonValue): Rule {
  return {
    check: 'parameter_equals',
    code: 'parameter_not_equal',
    phrase: `equal to ${shorten(canonicalJson(constant))}`,
    numeric: false,
    holds: memberOf([constant]),
  }
}

function oneOfRule(constants: readonly JsonValue[]): Rule {
  return {
    check: 'parameter_one_of',
    code: 'parameter_not_one_of',
    phrase: `one of ${shorten(constants.map(canonicalJson).join(', '))}`,
    numeric: false,
    holds: memberOf(constants),
  }
}

const numberRule: Rule = {
  check: 'parameter_is_number',
  code: 'parameter_not_a_number',
  phrase: 'a number',
  numeric: false,
  holds: isNumber,
}

function minRule(min: number): Rule {
  return {
    check: 'parameter_min',
    code: 'parameter_below_min',
    phrase: `at least ${min}`,
    numeric: true,
    holds: value => isNumber(value) && value >= min,
  }
}

function maxRule(max: number): Rule {
  return {
    check: 'parameter_max',
    code: 'parameter_above_max',
    phrase: `at most ${max}`,
    numeric: true,
    holds: value => isNumber(value) && value <= max,
  }
}

function passedRule(parameter: Parameter, rule: Rule): Check {
  return passed(about(parameter, rule.check), `${parameter.label} is ${rule.phrase}`)
}

function judgeRule(parameter: Parameter, rule: Rule, value: JsonValue): Check {
  const subject = about(parameter, rule.check)
  if (rule.numeric && !isNumber(value)) return skipped(subject, `${parameter.label} is not a number`)
  if (rule.holds(value)) return passedRule(parameter, rule)
  return failed(subject, rule.code, `${parameter.label} must be ${rule.phrase}`)
}

function whenMissing(parameter: Parameter, required: boolean, rules: readonly Rule[]): Check[] {
  const subject = about(parameter, 'parameter_present')
  const presence = required
    ? failed(subject, 'parameter_missing', `${parameter.label} is required`)
    : passed(subject, `${parameter.label} is optional and missing`)
  return [presence, ...skipAll(parameter, rules, 'is missing')]
}

function whenHidden(parameter: Parameter, why: string, rules: readonly Rule[]): Check[] {
  const message = `${parameter.label} cannot be established: ${shorten(why)}`
  const presence = failed(about(parameter, 'parameter_present'), 'parameter_ambiguous', message)
  return [presence, ...skipAll(parameter, rules, 'cannot be established')]
}

function skipAll(parameter: Parameter, rules: readonly Rule[], why: string): Check[] {
  return rules.map(rule => skipped(about(parameter, rule.check), `${parameter.label} ${why}`))
}

/**
 * Tests membership by canonical JSON. Scalars are compared without their text, because SameValueZero agrees with
 * the canonical form for them (1 is 1.0, -0 is 0, 1 is not "1").
 */
function memberOf(constants: readonly JsonValue[]): Rule['holds'] {
  const scalars = new Set(constants.filter(isScalar))
  const texts = new Set(constants.filter(constant => !isScalar(constant)).map(canonicalJson))
  return value => (isScalar(value) ? scalars.has(value) : texts.size > 0 && texts.has(canonicalJson(value)))
}

function isScalar(value: JsonValue): value is string | number | boolean | null {
  return typeof value !== 'object' || value === null
}

function isNumber(value: JsonValue): value is number {
  return Number.isFinite(value)
}

function about(parameter: Parameter, check: ParameterCheckName): Subject {
  return { check, path: parameter.path }
}
