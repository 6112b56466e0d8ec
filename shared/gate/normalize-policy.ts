import { canonicalJson } from '../canon/canonical-json.ts'
import { documentHash } from '../canon/digest.ts'
import { type Issue, pathText } from '../contract/base/errors.ts'
import type { JsonObject, JsonValue } from '../contract/base/json.ts'
import { inOneGo, type Slices } from '../contract/base/slices.ts'
import type { Constraint, Policy, PolicyInput } from '../contract/configuration/policy.ts'
import { constraintProblems } from './constraint-problems.ts'
import { documentProblems } from './document-problems.ts'

/**
 * A normalized policy. `hash` is `sha256:` and hex over its canonical JSON (specification.md#policies,
 * specification.md#audit-bytes).
 */
export type NormalizedPolicy =
  | { ok: true; policy: Policy; hash: string; warnings: Issue[] }
  | { ok: false; issues: Issue[] }

/**
 * Normalizes a policy that has the right shape: defaults are written out, sets are sorted and without duplicates.
 * Rules that no proposal can satisfy are errors; rules for systems and operations that are not allowed are
 * warnings.
 */
export function normalizePolicy(input: PolicyInput): NormalizedPolicy {
  const unsafe = documentProblems(input)
  return unsafe.length > 0 ? { ok: false, issues: unsafe } : inOneGo(normalizeSafe(input))
}

export function* normalizeSafe(input: PolicyInput): Slices<NormalizedPolicy> {
  const read = (value: unknown) => value as Constraint
  const { errors, warnings } = yield* constraintProblems(input.parameter_constraints, read)
  if (errors.length > 0) return { ok: false, issues: errors }
  const canonical = canonicalJson(normalForm(input))
  yield
  return {
    ok: true,
    // The policy is parsed from the hashed text, so that the hash covers exactly the rules that decide.
    policy: JSON.parse(canonical) as Policy,
    hash: documentHash('policy', canonical),
    warnings: [...warnings, ...idleRules(input)],
  }
}

function normalForm(input: PolicyInput): JsonObject {
  const { approvals_required = 1 } = input
  return {
    allowed_systems: sortedSet(input.allowed_systems),
    allowed_operations: mapMembers(input.allowed_operations ?? {}, sortedSet),
    parameter_constraints: mapMembers(input.parameter_constraints ?? {}, ofSystem =>
      mapMembers(ofSystem, ofOperation => mapMembers(ofOperation, normalConstraint)),
    ),
    approval_required_at: input.approval_required_at,
    // The value 1 is omitted, so that policies from before this field existed keep their hash.
    ...(approvals_required === 1 ? {} : { approvals_required }),
    review_route: input.review_route,
  }
}

export function normalConstraint({ required = true, equals, one_of, min, max }: Constraint): JsonObject {
  return {
    required,
    ...(equals === undefined ? {} : { equals }),
    ...(one_of === undefined ? {} : { one_of: sortedConstants(one_of) }),
    ...(min === undefined ? {} : { min }),
    ...(max === undefined ? {} : { max }),
  }
}

function sortedSet(names: readonly string[]): string[] {
  return [...new Set(names)].sort()
}

function sortedConstants(constants: readonly JsonValue[]): JsonValue[] {
  const byText = new Map(constants.map(constant => [canonicalJson(constant), constant]))
  return [...byText].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, constant]) => constant)
}

function mapMembers<From, To>(record: Record<string, From>, map: (member: From) => To): Record<string, To> {
  return Object.fromEntries(Object.entries(record).map(([name, member]) => [name, map(member)]))
}

/**
 * Warns of rules that never apply, because their system or operation is not allowed (specification.md#policies).
 */
function idleRules(policy: PolicyInput): Issue[] {
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
