import type { JsonValue } from '../../contract/base/json.ts'
import { JsonSet, type Needs } from '../predicate.ts'
import type { Doubt } from '../step-budget.ts'
import { admitsFresh, type Level } from './alternatives.ts'
import type { Candidate } from './candidate.ts'
import { type NumberClasses, numberClasses } from './number-classes.ts'
import { commonTexts, stringClasses } from './string-classes.ts'

interface Leaves {
  trial: Candidate
  needs: Needs
  mentioned: readonly Level[]
  ways: readonly (readonly Level[])[]
  lengthMax: number
}

/** One value of each class but for arrays, objects and the constants, readable ones first; only of types that can do. */
export function leafClasses(leaves: Leaves): { values: JsonValue[]; doubt: Doubt | null } {
  const { trial, needs, mentioned, ways, lengthMax } = leaves
  const admits = (...names: string[]) => ways.some(way => admitsFresh(way, ...names))
  const numbers = admits('number', 'integer') ? numbersOf(leaves) : { values: [], complete: true }
  const doubt = numbers.complete ? null : { keyword: 'multipleOf', path: trial.place.path }
  if (needs.numeric) return { values: numbers.values, doubt }
  const lengths = mentioned.flatMap(({ facts }) => facts.lengths)
  const values: JsonValue[] = [
    ...(admits('string') ? stringClasses(lengths, new JsonSet(trial.constants), lengthMax) : []),
    ...numbers.values,
    ...(admits('boolean') ? [true, false] : []),
    ...(admits('null') ? [null] : []),
    ...samples(mentioned),
  ]
  return { values, doubt }
}

function numbersOf({ trial, needs, mentioned, ways }: Leaves): NumberClasses {
  const { place, constants } = trial
  const points = [
    ...constants.filter(constant => typeof constant === 'number'),
    ...place.demand.predicates.flatMap(({ bounds }) => bounds),
    ...mentioned.flatMap(({ facts }) => facts.bounds),
  ]
  const avoided = place.breaks.length === 0 ? [] : mentioned.flatMap(({ facts }) => facts.steps)
  return numberClasses(points, {
    low: needs.low,
    high: needs.high,
    together: ways.map(way => way.flatMap(({ facts }) => facts.steps)),
    avoided: [...new Set(avoided)],
  })
}

/** Guesses, where a keyword that is not modelled asks for something. */
function samples(mentioned: readonly Level[]): JsonValue[] {
  if (mentioned.every(({ facts }) => facts.unmodelled.length === 0)) return []
  return [...mentioned.flatMap(({ facts }) => facts.samples), ...commonTexts]
}
