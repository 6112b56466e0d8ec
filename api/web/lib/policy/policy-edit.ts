import type { JsonObject } from '../../../../shared/contract/base/json.ts'
import type { Constraint, PolicyInput } from '../../../../shared/contract/configuration/policy.ts'

export interface ConditionRow {
  operation: string
  path: string
  constraint: Constraint
}

/** Returns the draft if a form can show it as a policy, else null. */
export function asPolicy(draft: JsonObject): PolicyInput | null {
  const { allowed_systems, allowed_operations = {}, parameter_constraints = {} } = draft
  const fits =
    isNames(allowed_systems) &&
    isRecordOf(allowed_operations, isNames) &&
    isRecordOf(parameter_constraints, system =>
      isRecordOf(system, operation => isRecordOf(operation, isRecord)),
    ) &&
    typeof draft.review_route === 'string' &&
    typeof draft.approval_required_at === 'string' &&
    (draft.approvals_required === undefined || typeof draft.approvals_required === 'number')
  return fits ? (draft as unknown as PolicyInput) : null
}

/** Removes `approvals_required` for one approval, since 1 is the default. */
export function withApprovals(
  { approvals_required: _, ...policy }: PolicyInput,
  required: number,
): PolicyInput {
  return required === 1 ? policy : { ...policy, approvals_required: required }
}

/** Adds a system at the top of the list, so that the person sees it. */
export function withSystem(policy: PolicyInput, system: string): PolicyInput {
  if (policy.allowed_systems.includes(system)) return policy
  return {
    ...policy,
    allowed_systems: [system, ...policy.allowed_systems],
    allowed_operations: { ...policy.allowed_operations, [system]: policy.allowed_operations?.[system] ?? [] },
  }
}

export function withoutSystem(policy: PolicyInput, system: string): PolicyInput {
  return {
    ...policy,
    allowed_systems: policy.allowed_systems.filter(name => name !== system),
    ...(policy.allowed_operations ? { allowed_operations: without(policy.allowed_operations, system) } : {}),
    ...(policy.parameter_constraints
      ? { parameter_constraints: without(policy.parameter_constraints, system) }
      : {}),
  }
}

/** Sets the allowed operations of a system; null allows any. */
export function withOperations(
  policy: PolicyInput,
  system: string,
  operations: string[] | null,
): PolicyInput {
  const others = without(policy.allowed_operations ?? {}, system)
  return {
    ...policy,
    allowed_operations: operations ? { ...policy.allowed_operations, [system]: operations } : others,
  }
}

export function withoutOperation(policy: PolicyInput, system: string, operation: string): PolicyInput {
  const operations = policy.allowed_operations?.[system] ?? []
  const left = withOperations(
    policy,
    system,
    operations.filter(name => name !== operation),
  )
  const constraints = policy.parameter_constraints?.[system]
  return constraints ? withConstraints(left, system, without(constraints, operation)) : left
}

export function conditionsOf(policy: PolicyInput, system: string): ConditionRow[] {
  return Object.entries(policy.parameter_constraints?.[system] ?? {}).flatMap(([operation, constraints]) =>
    Object.entries(constraints).map(([path, constraint]) => ({ operation, path, constraint })),
  )
}

/** Replaces the condition `old` by `row`. A null `old` adds `row`, and a null `row` removes `old`. */
export function withCondition(
  policy: PolicyInput,
  system: string,
  { old, row }: { old: ConditionRow | null; row: ConditionRow | null },
): PolicyInput {
  const constraints = policy.parameter_constraints?.[system] ?? {}
  if (old && row && old.operation === row.operation)
    return withConstraints(policy, system, renamed(constraints, old, row))
  const kept = old ? dropCondition(constraints, old) : constraints
  if (!row) return withConstraints(policy, system, kept)
  const { operation, path, constraint } = row
  return withConstraints(policy, system, {
    ...kept,
    [operation]: { ...kept[operation], [path]: constraint },
  })
}

type Constraints = Record<string, Record<string, Constraint>>

function withConstraints(policy: PolicyInput, system: string, constraints: Constraints): PolicyInput {
  const all = policy.parameter_constraints ?? {}
  return {
    ...policy,
    parameter_constraints:
      Object.keys(constraints).length > 0 ? { ...all, [system]: constraints } : without(all, system),
  }
}

function dropCondition(constraints: Constraints, { operation, path }: ConditionRow): Constraints {
  const left = without(constraints[operation] ?? {}, path)
  return Object.keys(left).length > 0
    ? { ...constraints, [operation]: left }
    : without(constraints, operation)
}

/** Keeps the order of the conditions, so that rows do not move while a person renames one. */
function renamed(constraints: Constraints, old: ConditionRow, row: ConditionRow): Constraints {
  const members = Object.entries(constraints[old.operation] ?? {}).map(([path, constraint]) =>
    path === old.path ? [row.path, row.constraint] : [path, constraint],
  )
  return { ...constraints, [old.operation]: Object.fromEntries(members) }
}

function without<Value>(all: Readonly<Record<string, Value>>, name: string): Record<string, Value> {
  return Object.fromEntries(Object.entries(all).filter(([other]) => other !== name))
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isRecordOf(value: unknown, fits: (inner: unknown) => boolean): boolean {
  return isRecord(value) && Object.values(value).every(fits)
}

function isNames(value: unknown): value is string[] {
  return Array.isArray(value) && value.every(name => typeof name === 'string')
}
