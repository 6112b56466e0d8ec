import { isPlainObject } from '../contract/base/json.ts'
import type { NormalizedConstraint } from '../contract/configuration/policy.ts'
import { hidingPlaces } from '../gate/hidden-parameter.ts'
import {
  type AtPath,
  absent,
  constraintPredicate,
  needsOf,
  negated,
  type Predicate,
  unreached,
} from './predicate.ts'

export interface Condition {
  readonly at: readonly string[]
  readonly predicate: Predicate
}

/**
 * A constraint that holds if all its conditions hold. One condition is about the value. The others exclude
 * members whose dotted names would hide the value.
 */
export interface ConstraintConditions {
  readonly path: string
  readonly conditions: readonly Condition[]
}

export function conditionsOf(path: string, constraint: NormalizedConstraint): ConstraintConditions {
  const hiding = hidingPlaces(path).map(at => ({ at, predicate: absent }))
  return { path, conditions: [conditionAt(path, constraintPredicate(constraint)), ...hiding] }
}

export function conditionAt(path: string, predicate: Predicate): Condition {
  return { at: path.split('.'), predicate }
}

/** The conditions on the value at one position and on the values inside it. */
export interface Demand {
  readonly predicates: readonly Predicate[]
  readonly children: ReadonlyMap<string, Demand>
  /** The results of `children` if the value is missing, or if it is not an object (`unreached`). */
  readonly inside: { readonly missing: boolean; readonly unreached: boolean }
}

export const noDemand: Demand = {
  predicates: [],
  children: new Map(),
  inside: { missing: true, unreached: true },
}

export function demandOf(predicates: readonly Predicate[], children: ReadonlyMap<string, Demand>): Demand {
  const inner = [...children.values()]
  const inside = {
    missing: inner.every(holdsMissing),
    unreached: inner.every(child => meetsDemand(child, unreached)),
  }
  return { predicates, children, inside }
}

/**
 * Returns one set of demands per condition of the constraint. It breaks that condition and keeps all other
 * conditions on the same parameter.
 */
export function brokenWays(
  { conditions }: ConstraintConditions,
  all: readonly ConstraintConditions[] = [],
): Map<string, Demand>[] {
  const others = all.flatMap(constraint => constraint.conditions)
  return conditions.map(broken => {
    const beside = others.filter(other => other !== broken && other.at[0] === broken.at[0])
    return demandTree([...beside, { at: broken.at, predicate: negated(broken.predicate) }])
  })
}

export function demandTree(conditions: Iterable<Condition>): Map<string, Demand> {
  let tree = new Map<string, Demand>()
  for (const { at, predicate } of conditions) tree = mergeDemands(tree, branch(at, predicate))
  return tree
}

export function mergeDemands(
  left: ReadonlyMap<string, Demand>,
  right: ReadonlyMap<string, Demand>,
): Map<string, Demand> {
  const merged = new Map(left)
  for (const [name, demand] of right) merged.set(name, both(merged.get(name), demand))
  return merged
}

function both(left: Demand | undefined, right: Demand): Demand {
  if (left === undefined) return right
  return {
    predicates: left.predicates.concat(right.predicates),
    children: right.children.size === 0 ? left.children : mergeDemands(left.children, right.children),
    inside: {
      missing: left.inside.missing && right.inside.missing,
      unreached: left.inside.unreached && right.inside.unreached,
    },
  }
}

/** Merges the demands of both sides, but only for the parameters in `right`. */
export function demandsWith(
  left: ReadonlyMap<string, Demand>,
  right: ReadonlyMap<string, Demand>,
): Map<string, Demand> {
  const merged = new Map<string, Demand>()
  for (const [name, demand] of right) merged.set(name, both(left.get(name), demand))
  return merged
}

/**
 * Returns true if a value meets a demand. A path leads only through own members of plain objects, as in the
 * gate.
 */
export function meetsDemand(demand: Demand, value: AtPath): boolean {
  for (const predicate of demand.predicates) if (!predicate.holds(value)) return false
  if (demand.children.size === 0) return true
  if (value === undefined) return demand.inside.missing
  if (!isPlainObject(value)) return demand.inside.unreached
  for (const [name, child] of demand.children) {
    if (!meetsDemand(child, Object.hasOwn(value, name) ? value[name] : undefined)) return false
  }
  return true
}

/** Returns true if no value meets the demand: it must be present, and the bounds leave no number. */
export function isExcluded(demand: Demand): boolean {
  const { low, high } = needsOf(demand.predicates)
  return low > high && !holdsMissing(demand)
}

export function holdsMissing(demand: Demand): boolean {
  return meetsDemand(demand, undefined)
}

function branch(segments: readonly string[], predicate: Predicate): Map<string, Demand> {
  const [name = '', ...rest] = segments
  const demand = rest.length === 0 ? demandOf([predicate], new Map()) : demandOf([], branch(rest, predicate))
  return new Map([[name, demand]])
}
