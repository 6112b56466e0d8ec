import type { Proposal } from '../../../shared/contract/action/proposal-schema.ts'
import type { JsonObject, JsonValue } from '../../../shared/contract/base/json.ts'
import type { Constraint, PolicyInput } from '../../../shared/contract/configuration/policy.ts'

export interface NaiveAnswer {
  decision: string
  codes: string[]
}

/**
 * The rules of specification.md#the-gate read off the policy document as it was written, without a catalog: slow and plain, and
 * sharing no code with the gate that it checks.
 */
export function naiveGate(
  proposal: Proposal,
  policy: PolicyInput,
  options: { actuators: readonly string[]; strict: boolean },
): NaiveAnswer {
  const { target_system, operation, parameters } = proposal.action
  const codes: string[] = []
  if (!policy.allowed_systems.includes(target_system)) codes.push('system_not_allowed')
  const listed = members(policy.allowed_operations).get(target_system)
  if (listed === undefined && options.strict) codes.push('explicit_operation_required')
  if (listed !== undefined && !listed.includes(operation)) codes.push('operation_not_allowed')
  if (!options.actuators.includes(target_system)) codes.push('actuator_not_registered')
  if (options.strict) codes.push('catalog_required')
  const constraints = members(
    members(members(policy.parameter_constraints).get(target_system)).get(operation),
  )
  for (const [path, constraint] of constraints) {
    const failing = failures(find(parameters, path), constraint)
    codes.push(...(failing.length === 0 && hides(parameters, path) ? ['parameter_ambiguous'] : failing))
  }
  return { decision: codes.length > 0 ? 'deny' : heldOrAllowed(proposal, policy), codes: codes.sort() }
}

function heldOrAllowed(proposal: Proposal, policy: PolicyInput): string {
  const scale = 'low medium high'
  return scale.indexOf(proposal.risk.level) >= scale.indexOf(policy.approval_required_at)
    ? 'needs_approval'
    : 'allow'
}

function failures(found: JsonValue[], constraint: Constraint): string[] {
  const [value] = found
  if (value === undefined) return constraint.required === false ? [] : ['parameter_missing']
  const codes: string[] = []
  if (constraint.equals !== undefined && !same(value, constraint.equals)) codes.push('parameter_not_equal')
  if (constraint.one_of !== undefined && !constraint.one_of.some(one => same(value, one)))
    codes.push('parameter_not_one_of')
  if (constraint.min === undefined && constraint.max === undefined) return codes
  if (typeof value !== 'number') return [...codes, 'parameter_not_a_number']
  if (constraint.min !== undefined && value < constraint.min) codes.push('parameter_below_min')
  if (constraint.max !== undefined && value > constraint.max) codes.push('parameter_above_max')
  return codes
}

/** Something on the way that is no object, or a member that is called like a piece of the way with its dots. */
function hides(value: JsonValue, path: string): boolean {
  if (Array.isArray(value) || Object(value) !== value) return true
  const dotted = Object.keys(value as JsonObject).filter(name => name.includes('.'))
  if (dotted.some(name => `${path}.`.startsWith(`${name}.`))) return true
  const dot = path.indexOf('.')
  if (dot < 0) return false
  return step(value, path.slice(0, dot)).some(next => hides(next, path.slice(dot + 1)))
}

/** No value or one. */
function find(value: JsonValue, path: string): JsonValue[] {
  const dot = path.indexOf('.')
  if (dot < 0) return step(value, path)
  return step(value, path.slice(0, dot)).flatMap(next => find(next, path.slice(dot + 1)))
}

function step(value: JsonValue, name: string): JsonValue[] {
  if (Array.isArray(value) || Object(value) !== value) return []
  const children = Object.entries(value as JsonObject)
  return children.filter(([member]) => member === name).map(([, child]) => child)
}

function same(left: JsonValue, right: JsonValue): boolean {
  if (Array.isArray(left) !== Array.isArray(right)) return false
  if (Object(left) !== left || Object(right) !== right) return left === right
  const [one, other] = [members(left as JsonObject), members(right as JsonObject)]
  return (
    one.size === other.size &&
    [...one].every(([name, value]) => other.has(name) && same(value, pick(other, name)))
  )
}

function pick(map: Map<string, JsonValue>, name: string): JsonValue {
  return map.get(name) ?? null
}

function members<Value>(record: Record<string, Value> | undefined): Map<string, Value> {
  return new Map(Object.entries(record ?? {}))
}
