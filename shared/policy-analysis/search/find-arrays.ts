import type { JsonValue } from '../../contract/base/json.ts'
import { limits } from '../../contract/base/limits.ts'
import type { Slices } from '../../contract/base/slices.ts'
import { noDemand } from '../demand.ts'
import type { Found, Place, Search } from '../path.ts'
import { JsonSet } from '../predicate.ts'
import type { Asked } from '../schema-index.ts'
import { admitsFresh, type Level, mentionedBy } from './alternatives.ts'
import { arrayViolationsOf } from './array-violations.ts'
import type { Candidate } from './candidate.ts'
import { combinations } from './combinations.ts'

export function* findArrays(trial: Candidate, way: readonly Level[], search: Search): Slices<void> {
  const { place } = trial
  if (!admitsFresh(way, 'array') || !place.demand.inside.unreached || !trial.admitsFresh(freshArray)) return
  const constants = trial.constants.filter(constant => Array.isArray(constant))
  const want = place.want + constants.length
  const item = itemPlace(place, way, { inherited: constants.flat(), want })
  if (place.breaks.length > 0) yield* findBreaking(trial, way, { item, search })
  if (trial.enough) return
  const found = yield* search.find(item)
  if (found.doubt) trial.doubt(found.doubt)
  const lengths = lengthsOf(trial, way, want)
  const admitted = found.values.length > 0 ? lengths : lengths.filter(length => length === 0)
  for (const length of admitted) {
    if (trial.tryAll(combinations(Array(length).fill(present(found)), want))) return
  }
  if (way.some(({ facts }) => facts.atoms.length > 0)) yield* guessArrays(trial, way, { item, search })
}

const guessedMax = 40

/** Tries arrays with distinct items, because opaque keywords such as `uniqueItems` may demand these. */
function* guessArrays(
  trial: Candidate,
  way: readonly Level[],
  { item, search }: { item: Place; search: Search },
): Slices<void> {
  const items: JsonValue[] = []
  const least = Math.max(1, ...way.flatMap(({ facts }) => [facts.minItems, facts.prefix.length]))
  while (items.length < Math.min(least, guessedMax)) {
    const inherited = [...item.inherited, ...items]
    const meets = itemsOf(way, items.length)
    const found = present(yield* search.find({ ...item, meets, inherited, want: inherited.length + 1 }))
    const known = new JsonSet(items)
    const next = found.find(value => !known.has(value)) ?? found[0]
    if (next === undefined) break
    items.push(next)
    if (trial.tryAll([[...items]])) return
  }
}

function itemPlace(
  { path, depth }: Place,
  way: readonly Level[],
  asked: Pick<Place, 'inherited' | 'want'>,
): Place {
  const fixed = { demand: noDemand, breaks: [], presence: 'required', guesses: true } as const
  return { ...fixed, ...asked, path: `${path}[]`, depth: depth + 1, meets: itemsOf(way) }
}

const freshArray: JsonValue = ['\u{10fffd}']

function* findBreaking(
  trial: Candidate,
  way: readonly Level[],
  { item, search }: { item: Place; search: Search },
): Slices<void> {
  const { breaches, complete } = arrayViolationsOf(trial.place.breaks, way)
  if (!complete) trial.doubt({ bound: 'branches', limit: breaches.length, at: trial.place.path })
  const fillers = present(yield* search.find({ ...item, want: 1 }))
  for (const breach of breaches) {
    const lists: JsonValue[][] = []
    for (const breaks of breach) {
      const found = yield* search.find({ ...item, breaks })
      if (found.doubt) trial.doubt(found.doubt)
      lists.push(present(found))
    }
    const lengths = lengthsOf(trial, way, item.want + breach.length)
    for (const length of lengths) trial.tryAll(filledUp(lists, fillers, { length, want: item.want }))
    if (trial.enough) return
  }
}

function filledUp(
  lists: readonly JsonValue[][],
  fillers: JsonValue[],
  { length, want }: { length: number; want: number },
): JsonValue[][] {
  const more = length - lists.length
  return more < 0 ? [] : combinations([...lists, ...Array<JsonValue[]>(more).fill(fillers)], want)
}

function itemsOf(way: readonly Level[], index?: number): Asked[] {
  return way.flatMap(({ book, facts }) => {
    const schema = facts.items ?? (index === undefined ? undefined : (facts.prefix[index] ?? facts.rest))
    return schema === undefined ? [] : [{ book, schema }]
  })
}

/**
 * Returns the array lengths at which a schema's result changes. Some longer arrays follow each of these
 * lengths, so that the search can avoid constants.
 */
function lengthsOf({ place }: Candidate, way: readonly Level[], want: number): number[] {
  const changes = mentionedBy(place.breaks).flatMap(({ facts }) => [facts.minItems, facts.maxItems + 1])
  const least = Math.max(0, ...way.map(({ facts }) => facts.minItems))
  const most = Math.min(limits.parameters_values_max, ...way.map(({ facts }) => facts.maxItems))
  const starts = [least, ...changes.filter(length => length > least)]
  const lengths = starts.flatMap(start => Array.from({ length: want + 1 }, (_, more) => start + more))
  return [...new Set(lengths)].filter(length => length <= most).sort((left, right) => left - right)
}

function present({ values }: Found): JsonValue[] {
  return values.filter(value => value !== undefined)
}
