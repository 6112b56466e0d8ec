import { canonicalJson } from '../canon/canonical-json.ts'
import { type Issue, pathText } from '../contract/base/errors.ts'
import { isPlainObject, type JsonValue } from '../contract/base/json.ts'
import { limits } from '../contract/base/limits.ts'
import type { Slices } from '../contract/base/slices.ts'
import { type Constraint, constraintSchema } from '../contract/configuration/policy.ts'

/**
 * Finds contradictions within single constraints (specification.md#policies): an error if no value satisfies the
 * constraint, a warning if only some values of its `one_of` do. A path through `__proto__` is an error, because no
 * parameter has that name. The input may be any value; malformed constraints are skipped. The search stops at the
 * maximum number of errors in an answer.
 */
export function* constraintProblems(
  parameterConstraints: unknown,
  read: (value: unknown) => Constraint | null = readConstraint,
): Slices<ConstraintProblems> {
  const found: ConstraintProblems = { errors: [], warnings: [] }
  found.errors.push(...crowdedOperations(parameterConstraints))
  for (const { value, at } of placesIn(parameterConstraints)) {
    const constraint = read(value)
    if (at.at(-1)?.split('.').includes('__proto__')) found.errors.push(reserved(at))
    yield
    if (found.errors.length > limits.problems_max) break
    if (constraint === null) continue
    found.errors.push(...contradictions({ constraint, at }))
    found.warnings.push(...unreachableConstants({ constraint, at }))
  }
  return found
}

function* placesIn(parameterConstraints: unknown): Generator<{ value: unknown; at: string[] }> {
  for (const [system, ofSystem] of membersOf(parameterConstraints)) {
    for (const [operation, ofOperation] of membersOf(ofSystem)) {
      for (const [path, value] of membersOf(ofOperation))
        yield { value, at: ['parameter_constraints', system, operation, path] }
    }
  }
}

/** Limits the constraints per operation, because each adds at least one check to every verdict. */
function crowdedOperations(parameterConstraints: unknown): Issue[] {
  const most = limits.constraints_per_operation_max
  const message = `has more than ${most} constraints: a verdict lists every check`
  return membersOf(parameterConstraints).flatMap(([system, ofSystem]) =>
    membersOf(ofSystem).flatMap(([operation, ofOperation]) => {
      if (membersOf(ofOperation).length <= most) return []
      const path = pathText(['parameter_constraints', system, operation])
      return [{ path, code: 'too_many_constraints', message }]
    }),
  )
}

function readConstraint(value: unknown): Constraint | null {
  return constraintSchema.safeParse(value).data ?? null
}

export interface ConstraintProblems {
  errors: Issue[]
  warnings: Issue[]
}

interface Located {
  constraint: Constraint
  at: readonly string[]
}

function contradictions(located: Located): Issue[] {
  return [...crossedBounds(located), ...impossibleEquals(located), ...impossibleOneOf(located)]
}

function crossedBounds({ constraint, at }: Located): Issue[] {
  const { min, max } = constraint
  if (min === undefined || max === undefined || min <= max) return []
  return [issue(at, 'min', 'min_above_max', `min ${min} is above max ${max}`)]
}

function impossibleEquals({ constraint, at }: Located): Issue[] {
  const { equals, one_of } = constraint
  if (equals === undefined) return []
  const canonical = canonicalJson(equals)
  const listed = one_of === undefined || one_of.some(constant => canonicalJson(constant) === canonical)
  return [
    ...(listed ? [] : [issue(at, 'equals', 'equals_outside_one_of', 'equals is not a member of one_of')]),
    ...(withinBounds(equals, constraint)
      ? []
      : [issue(at, 'equals', 'equals_outside_bounds', 'equals is not a number within min and max')]),
  ]
}

function impossibleOneOf({ constraint, at }: Located): Issue[] {
  const { one_of } = constraint
  if (one_of === undefined || one_of.some(constant => withinBounds(constant, constraint))) return []
  return [issue(at, 'one_of', 'one_of_outside_bounds', 'no member of one_of is a number within min and max')]
}

function unreachableConstants({ constraint, at }: Located): Issue[] {
  const constants = constraint.one_of ?? []
  const outside = constants.filter(constant => !withinBounds(constant, constraint)).length
  if (outside === 0) return []
  const message = `${outside} of ${constants.length} members are not numbers within min and max`
  return [issue(at, 'one_of', 'one_of_partly_outside_bounds', message)]
}

/**
 * Treats crossed bounds as satisfied. They are reported on their own, and every constant would otherwise be
 * reported too.
 */
function withinBounds(value: JsonValue, { min, max }: Constraint): boolean {
  if (min === undefined && max === undefined) return true
  const [low, high] = [min ?? Number.NEGATIVE_INFINITY, max ?? Number.POSITIVE_INFINITY]
  return low > high || (typeof value === 'number' && value >= low && value <= high)
}

function reserved(at: readonly string[]): Issue {
  return { path: pathText(at), code: 'reserved_name', message: '__proto__ is not allowed as a name' }
}

function issue(at: readonly string[], key: keyof Constraint, code: string, message: string): Issue {
  return { path: pathText([...at, key]), code, message }
}

function membersOf(value: unknown): [string, unknown][] {
  return isPlainObject(value) ? Object.entries(value) : []
}
