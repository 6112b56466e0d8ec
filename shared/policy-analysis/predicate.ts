import { canonicalJson } from '../canon/canonical-json.ts'
import type { JsonValue } from '../contract/base/json.ts'
import type { NormalizedConstraint } from '../contract/configuration/policy.ts'
import type { Where } from '../contract/configuration/verification-schema.ts'

/** The marker of a value that a path does not reach, because a value on the way is not an object. */
export const unreached = Symbol('unreached')

export type AtPath = JsonValue | typeof unreached | undefined

/**
 * A condition on the value at one path; undefined is a missing value. The condition tells values apart only
 * by membership in `constants`, and numbers also by their order among `bounds`.
 */
export interface Predicate {
  holds(value: AtPath): boolean
  constants: readonly JsonValue[]
  bounds: readonly number[]
  /** Requirements that every present value must meet, so that the search need not try any other value. */
  needs: Needs
}

export interface Needs {
  numeric: boolean
  low: number
  high: number
  members: readonly JsonValue[] | null
}

export const needsNothing: Needs = {
  numeric: false,
  low: Number.NEGATIVE_INFINITY,
  high: Number.POSITIVE_INFINITY,
  members: null,
}

export function needsOf(predicates: readonly Predicate[]): Needs {
  const [first] = predicates
  if (first === undefined) return needsNothing
  if (predicates.length === 1) return first.needs
  return predicates.reduce((all, { needs }) => bothNeeds(all, needs), needsNothing)
}

function bothNeeds(left: Needs, right: Needs): Needs {
  return {
    numeric: left.numeric || right.numeric,
    low: Math.max(left.low, right.low),
    high: Math.min(left.high, right.high),
    members: left.members ?? right.members,
  }
}

/** Reads a constraint as the gate does (specification.md#the-gate). */
export function constraintPredicate(constraint: NormalizedConstraint): Predicate {
  const { required, ...keys } = constraint
  const ofValue = valuePredicate(keys)
  return {
    ...ofValue,
    holds: value => (value === undefined ? !required : ofValue.holds(value)),
  }
}

export const absent: Predicate = {
  holds: value => value === undefined || value === unreached,
  constants: [],
  bounds: [],
  needs: needsNothing,
}

export function wherePredicate(where: Where): Predicate {
  const { present, missing, not, ...keys } = where
  const ofValue = valuePredicate(keys)
  const inner = not === undefined ? null : wherePredicate(not)
  const compares = Object.values(keys).some(key => key !== undefined)
  return {
    constants: inner ? [...ofValue.constants, ...inner.constants] : ofValue.constants,
    bounds: inner ? [...ofValue.bounds, ...inner.bounds] : ofValue.bounds,
    needs: ofValue.needs,
    holds(value) {
      const there = !absent.holds(value)
      if (present !== undefined && present !== there) return false
      if (missing !== undefined && missing === there) return false
      if (compares && !(there && ofValue.holds(value))) return false
      return inner === null || !inner.holds(value)
    },
  }
}

export function negated(predicate: Predicate): Predicate {
  return { ...predicate, needs: needsNothing, holds: value => !predicate.holds(value) }
}

/** A set of JSON values that compares by canonical JSON. Scalars are compared without making a text. */
export class JsonSet {
  private readonly scalars = new Set<JsonValue>()
  private readonly texts = new Set<string>()

  constructor(values: readonly JsonValue[]) {
    for (const value of values) this.add(value)
  }

  add(value: JsonValue): boolean {
    if (this.has(value)) return false
    if (isScalar(value)) this.scalars.add(value)
    else this.texts.add(canonicalJson(value))
    return true
  }

  has(value: JsonValue): boolean {
    if (isScalar(value)) return this.scalars.has(value)
    return this.texts.size > 0 && this.texts.has(canonicalJson(value))
  }
}

function isScalar(value: JsonValue): boolean {
  return typeof value !== 'object' || value === null
}

type ValueKeys = Pick<Where, 'equals' | 'one_of' | 'min' | 'max'>

function valuePredicate({ equals, one_of, min, max }: ValueKeys): Predicate {
  const only = equals === undefined ? null : new JsonSet([equals])
  const listed = one_of === undefined ? null : new JsonSet(one_of)
  const bounded = min !== undefined || max !== undefined
  const low = min ?? Number.NEGATIVE_INFINITY
  const high = max ?? Number.POSITIVE_INFINITY
  return {
    constants: [...(equals === undefined ? [] : [equals]), ...(one_of ?? [])],
    bounds: [min, max].filter(bound => bound !== undefined),
    needs: { numeric: bounded, low, high, members: equals === undefined ? (one_of ?? null) : [equals] },
    holds(value) {
      if (value === undefined || value === unreached) return false
      if (bounded && !(typeof value === 'number' && value >= low && value <= high)) return false
      return (only === null || only.has(value)) && (listed === null || listed.has(value))
    },
  }
}
