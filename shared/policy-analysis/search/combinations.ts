import { limits } from '../../contract/base/limits.ts'

/** Returns the first `countMax` tuples with one value from each list. The last list varies fastest. */
export function combinations<Value>(lists: readonly (readonly Value[])[], countMax: number): Value[][] {
  const total = lists.reduce((product, list) => Math.min(product * list.length, countMax), 1)
  return Array.from({ length: total }, (_, index) => tuple(lists, index))
}

function tuple<Value>(lists: readonly (readonly Value[])[], index: number): Value[] {
  const chosen: Value[] = []
  let rest = index
  for (let at = lists.length - 1; at >= 0; at -= 1) {
    const list = lists[at] ?? []
    chosen.push(list[rest % list.length] as Value)
    rest = Math.floor(rest / list.length)
  }
  return chosen.reverse()
}

export const waysMax = limits.verify_branches_max ** 2

/** Merges one choice per list in all ways. A result with `waysMax` + 1 ways shows that more exist. */
export function allTogether<Choice>(
  lists: readonly (readonly Choice[])[],
  merge: (left: Choice, right: Choice) => Choice,
  none: Choice,
): Choice[] {
  let together = [none]
  for (const list of lists) {
    together = together.flatMap(left => list.map(right => merge(left, right))).slice(0, waysMax + 1)
  }
  return together
}

export function partitions<Value>(values: readonly Value[]): Value[][][] {
  const [first, ...rest] = values
  if (first === undefined) return [[]]
  return partitions(rest).flatMap(groups => [
    [[first], ...groups],
    ...groups.map((group, at) => groups.with(at, [first, ...group])),
  ])
}
