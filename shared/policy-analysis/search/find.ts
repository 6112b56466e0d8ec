import type { JsonValue } from '../../contract/base/json.ts'
import { limits } from '../../contract/base/limits.ts'
import type { Slices } from '../../contract/base/slices.ts'
import { holdsMissing } from '../demand.ts'
import type { Found, Place, Search } from '../path.ts'
import { JsonSet, type Needs, needsOf } from '../predicate.ts'
import type { Doubt, StepBudget } from '../step-budget.ts'
import { alternativesOf, type Level, mentionedBy } from './alternatives.ts'
import { Candidate } from './candidate.ts'
import { findArrays } from './find-arrays.ts'
import { findObjects } from './find-objects.ts'
import { leafClasses } from './leaf-classes.ts'
import { TextSpaces } from './text-space.ts'

export function createSearch(meter: StepBudget, lengthMax: number): Search {
  const search: Search = {
    meter,
    lengthMax,
    texts: new TextSpaces(meter),
    find: place => findAt(place, search),
  }
  return search
}

/** Tries one value of each class at a position (specification.md#verification-method). */
function* findAt(place: Place, search: Search): Slices<Found> {
  const { meter } = search
  meter.step(() => place.path)
  if (meter.due) yield
  const missing = mayBeMissing(place) && holdsMissing(place.demand) ? [undefined] : []
  const needs = needsOf(place.demand.predicates)
  if (!mayBePresent(place) || missing.length >= place.want || needs.low > needs.high)
    return { values: missing, doubt: null }
  const trial = new Candidate(place, meter)
  trial.found.values.push(...missing)
  return yield* findPresent(trial, needs, search)
}

function* findPresent(trial: Candidate, needs: Needs, search: Search): Slices<Found> {
  const { place } = trial
  if (place.depth > limits.verify_depth_max)
    return left(trial, bound('depth', limits.verify_depth_max, place))
  const mentioned = mentionedBy([...place.meets, ...place.breaks])
  const constants = constantsAt(place, mentioned)
  if (constants.length > limits.verify_constants_max)
    return left(trial, bound('constants', limits.verify_constants_max, place))
  if (trial.tryConstants(constants) || needs.members) return trial.found
  const ways = alternativesOf(place.meets)
  if (ways === null) return left(trial, bound('branches', limits.verify_branches_max, place))
  const leaves = leafClasses({ trial, needs, mentioned, ways, search })
  if (trial.tryAll(leaves.values)) return trial.found
  if (leaves.doubt) trial.doubt(leaves.doubt)
  if (search.meter.due) yield
  return needs.numeric ? trial.found : yield* findComposite(trial, ways, search)
}

function* findComposite(trial: Candidate, ways: readonly Level[][], search: Search): Slices<Found> {
  for (const way of ways) {
    if (!trial.enough) yield* findArrays(trial, way, search)
    if (!trial.enough) yield* findObjects(trial, way, search)
  }
  if (trial.found.values.length === 0 && trial.found.doubt) yield* guess(trial, ways, search)
  return trial.found
}

/** Tries stricter schemas, because a value that meets a stricter schema fits as well. */
function* guess(trial: Candidate, ways: readonly Level[][], search: Search): Slices<void> {
  const { place } = trial
  if (!place.guesses) return
  const levels = ways.flatMap(way =>
    way.map(({ book, facts }) => facts.guesses.map(schema => ({ book, schema }))),
  )
  for (const stricter of levels.flat()) {
    const found = yield* search.find({ ...place, meets: [...place.meets, stricter], guesses: false })
    if (trial.tryAll(found.values.filter(value => value !== undefined))) return
  }
}

function mayBeMissing({ presence }: Place): boolean {
  return presence === 'optional' || presence === 'missing'
}

function mayBePresent({ presence }: Place): boolean {
  return presence === 'optional' || presence === 'required'
}

function constantsAt({ demand, inherited }: Place, mentioned: readonly Level[]): JsonValue[] {
  const seen = new JsonSet([])
  const all = [
    ...demand.predicates.flatMap(({ constants }) => constants),
    ...mentioned.flatMap(({ facts }) => facts.constants ?? []),
    ...inherited,
  ]
  return all.filter(constant => seen.add(constant))
}

function left(trial: Candidate, doubt: Doubt): Found {
  trial.doubt(doubt)
  return trial.found
}

function bound(name: 'depth' | 'constants' | 'branches', limit: number, { path }: Place): Doubt {
  return { bound: name, limit, at: path }
}
