import type { Issue } from '../contract/base/errors.ts'
import { pathText } from '../contract/base/issues.ts'
import type { PolicyInput } from '../contract/configuration/policy.ts'

/** Warnings for rules that never decide because their system or operation is not allowed (specification.md#policies). */
export function idleRules(policy: PolicyInput): Issue[] {
  const systems = new Set(policy.allowed_systems)
  const operations = new Map(Object.entries(policy.allowed_operations ?? {}))
  const constrained = Object.entries(policy.parameter_constraints ?? {})
  return [
    ...[...operations.keys()]
      .filter(system => !systems.has(system))
      .map(system => idleSystem(['allowed_operations', system])),
    ...constrained.flatMap(([system, ofSystem]) => {
      const path = ['parameter_constraints', system]
      return systems.has(system)
        ? idleOperations(path, Object.keys(ofSystem), operations.get(system))
        : [idleSystem(path)]
    }),
  ]
}

function idleOperations(path: string[], names: string[], allowed: readonly string[] | undefined): Issue[] {
  if (allowed === undefined) return []
  const known = new Set(allowed)
  const message = 'the operation is not in allowed_operations: these constraints never decide'
  return names
    .filter(name => !known.has(name))
    .map(name => ({ path: pathText([...path, name]), code: 'operation_not_allowed', message }))
}

function idleSystem(path: string[]): Issue {
  const message = 'the system is not in allowed_systems: these rules never decide'
  return { path: pathText(path), code: 'system_not_allowed', message }
}
