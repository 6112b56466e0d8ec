import { isPlainObject, type JsonValue } from '../contract/base/json.ts'
import { needsOf, type Predicate } from './predicate.ts'

/** What conditions on paths ask of the value at one place and of what is inside it. */
export interface Demand {
  readonly predicates: readonly Predicate[]
  readonly children: ReadonlyMap<string, Demand>
  /** Whether it holds for a value that has nothing inside that a path leads to. */
  readonly insideMissing: boolean
}

export const noDemand: Demand = { predicates: [], children: new Map(), insideMissing: true }

export function demandOf(predicates: readonly Predicate[], children: ReadonlyMap<string, Demand>): Demand {
  const insideMissing = [...children.values()].every(child => holdsMissing(child))
  return { predicates, children, insideMissing }
}

/** The demands on the top-level parameters. */
export function demandTree(
  entries: Iterable<readonly [path: string, predicate: Predicate]>,
): Map<string, Demand> {
  let tree = new Map<string, Demand>()
  for (const [path, predicate] of entries) {
    tree = mergeDemands(tree, branch(path.split('.'), predicate))
  }
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
    insideMissing: left.insideMissing && right.insideMissing,
  }
}

/** What is demanded of the parameters that `right` mentions, by both. */
export function demandsWith(
  left: ReadonlyMap<string, Demand>,
  right: ReadonlyMap<string, Demand>,
): Map<string, Demand> {
  const merged = new Map<string, Demand>()
  for (const [name, demand] of right) merged.set(name, both(left.get(name), demand))
  return merged
}

/** Whether a value, undefined where it is missing, meets a demand. Paths walk own members of plain objects only. */
export function meetsDemand(demand: Demand, value: JsonValue | undefined): boolean {
  for (const predicate of demand.predicates) if (!predicate.holds(value)) return false
  if (demand.children.size === 0) return true
  if (!isPlainObject(value)) return demand.insideMissing
  for (const [name, child] of demand.children) {
    if (!meetsDemand(child, Object.hasOwn(value, name) ? value[name] : undefined)) return false
  }
  return true
}

/** Whether it is plain that neither a value nor a missing one does: bounds that leave no number. */
export function isExcluded(demand: Demand): boolean {
  const { low, high } = needsOf(demand.predicates)
  return low > high && !holdsMissing(demand)
}

export function holdsMissing(demand: Demand): boolean {
  return demand.insideMissing && demand.predicates.every(predicate => predicate.holds(undefined))
}

function branch(segments: readonly string[], predicate: Predicate): Map<string, Demand> {
  const [name = '', ...rest] = segments
  const demand = rest.length === 0 ? demandOf([predicate], new Map()) : demandOf([], branch(rest, predicate))
  return new Map([[name, demand]])
}
