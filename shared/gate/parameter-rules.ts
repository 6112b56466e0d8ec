import type { Check } from '../contract/action/verdict.ts'
import type { JsonObject } from '../contract/base/json.ts'
import type { Policy } from '../contract/configuration/policy.ts'
import type { CompiledConstraint, compileConstraint } from './compile-constraint.ts'

/** All constraints on the parameters of one operation, in the order of their paths. */
export interface ParameterRules {
  readonly passing: readonly Check[]
  /** Returns the checks. If all constraints hold, it returns `passing` itself and allocates no list. */
  check(parameters: JsonObject): readonly Check[]
}

export function compileParameterRules(
  byPath: Policy['parameter_constraints'][string][string],
  compile: typeof compileConstraint,
): ParameterRules {
  const constraints = Object.entries(byPath)
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([path, constraint]) => compile(path, constraint))
  const passing = constraints.flatMap(constraint => constraint.passing)
  return {
    passing,
    check: parameters => {
      if (constraints.every(constraint => constraint.holds(parameters))) return passing
      return judgeAll(constraints, parameters)
    },
  }
}

function judgeAll(constraints: readonly CompiledConstraint[], parameters: JsonObject): Check[] {
  const checks: Check[] = []
  for (const constraint of constraints) {
    const judged = constraint.holds(parameters) ? constraint.passing : constraint.judge(parameters)
    checks.push(...judged)
  }
  return checks
}

/**
 * The rules of an operation without constraints. All such operations share them, so that the checks are built
 * once.
 */
export const unconstrained: ParameterRules = { passing: [], check: () => unconstrained.passing }
