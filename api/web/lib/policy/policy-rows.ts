import type { Constraint, PolicyInput } from '../../../../shared/contract/configuration/policy.ts'

export interface OperationRow {
  operation: string | null
  conditions: readonly (readonly [path: string, constraint: Constraint])[]
  /** True if the operation has conditions but is not allowed, so that its conditions never apply. */
  idle: boolean
}

export interface SystemRow {
  system: string
  /** `any` if the policy lists no operations for the system. All are then allowed, except in strict mode. */
  operations: 'any' | 'listed' | 'none'
  allowed: boolean
  rows: readonly OperationRow[]
}

export function policyRows(policy: PolicyInput): SystemRow[] {
  const constraints = policy.parameter_constraints ?? {}
  const idle = Object.keys(constraints).filter(system => !policy.allowed_systems.includes(system))
  return [
    ...policy.allowed_systems.map(system => systemRow(policy, system)),
    ...idle.map(system => ({
      system,
      operations: 'none' as const,
      allowed: false,
      rows: idleRows(constraints[system] ?? {}, new Set()),
    })),
  ]
}

export function countOperations(policy: PolicyInput): number {
  return policy.allowed_systems.reduce((count, system) => count + (listed(policy, system)?.length ?? 0), 0)
}

function systemRow(policy: PolicyInput, system: string): SystemRow {
  const operations = listed(policy, system)
  const constraints = policy.parameter_constraints?.[system] ?? {}
  const conditionsOf = (operation: string) => Object.entries(constraints[operation] ?? {})
  if (!operations) {
    const named = Object.keys(constraints).map(operation => ({
      operation,
      conditions: conditionsOf(operation),
      idle: false,
    }))
    const any = { operation: null, conditions: [], idle: false }
    return { system, operations: 'any', allowed: true, rows: [...named, any] }
  }
  const rows = operations.map(operation => ({ operation, conditions: conditionsOf(operation), idle: false }))
  return {
    system,
    operations: operations.length === 0 ? 'none' : 'listed',
    allowed: true,
    rows: [...rows, ...idleRows(constraints, new Set(operations))],
  }
}

function idleRows(
  constraints: Readonly<Record<string, Readonly<Record<string, Constraint>>>>,
  allowed: ReadonlySet<string>,
): OperationRow[] {
  return Object.entries(constraints)
    .filter(([operation]) => !allowed.has(operation))
    .map(([operation, conditions]) => ({ operation, conditions: Object.entries(conditions), idle: true }))
}

function listed(policy: PolicyInput, system: string): readonly string[] | undefined {
  return policy.allowed_operations?.[system]
}
