import type { JsonValue } from '../../contract/base/json.ts'
import type { Search } from '../path.ts'
import { JsonSet, type Needs } from '../predicate.ts'
import type { Doubt } from '../step-budget.ts'
import { admitsFresh, type Level } from './alternatives.ts'
import type { Candidate } from './candidate.ts'
import { type NumberClasses, numberClasses } from './number-classes.ts'
import { commonTexts, stringClasses } from './string-classes.ts'
import { type TextClasses, textClasses } from './text-classes.ts'
import { isSmallPattern, likelyText } from './text-space.ts'

interface Leaves {
  trial: Candidate
  needs: Needs
  mentioned: readonly Level[]
  ways: readonly (readonly Level[])[]
  search: Search
}

export function leafClasses(leaves: Leaves): { values: JsonValue[]; doubt: Doubt | null } {
  const { trial, needs, ways } = leaves
  const admits = (...names: string[]) => ways.some(way => admitsFresh(way, ...names))
  const numbers = admits('number', 'integer') ? numbersOf(leaves) : { values: [], complete: true }
  const { path } = trial.place
  const doubt = numbers.complete ? null : { keyword: 'multipleOf', path }
  if (needs.numeric) return { values: numbers.values, doubt }
  const texts = admits('string') ? textsOf(leaves) : { values: [], complete: true }
  const values: JsonValue[] = [
    ...texts.values,
    ...numbers.values,
    ...(admits('boolean') ? [true, false] : []),
    ...(admits('null') ? [null] : []),
    ...samples(leaves),
  ]
  return { values, doubt: texts.complete ? doubt : { keyword: 'pattern', path } }
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

/**
 * Returns texts, with the examples of the schemas first. A pattern that is too large to decide only suggests
 * texts.
 */
function textsOf({ trial, mentioned, search }: Leaves): TextClasses {
  const known = new JsonSet(trial.constants)
  const lengths = mentioned.flatMap(({ facts }) => facts.lengths)
  const patterns = [...new Set(mentioned.flatMap(({ facts }) => facts.patterns))].sort()
  if (patterns.length === 0)
    return { values: stringClasses(lengths, known, search.lengthMax), complete: true }
  const asked = { lengths, lengthMax: search.lengthMax, isKnown: (text: string) => known.has(text) }
  const examples = mentioned.flatMap(({ facts }) => facts.samples.filter(isText))
  const exact = textClasses(search.texts.of(patterns.filter(isSmallPattern)), asked)
  const large = patterns.filter(pattern => !isSmallPattern(pattern))
  const guessed = large.length === 0 ? [] : textClasses(search.texts.of(patterns), asked).values
  return {
    values: [...examples, ...exact.values, ...large.map(likelyText), ...guessed],
    complete: exact.complete,
  }
}

function isText(value: JsonValue): value is string {
  return typeof value === 'string'
}

/** Suggests example values, but only if a schema has an opaque keyword. */
function samples({ trial, mentioned }: Leaves): JsonValue[] {
  const { meets, breaks } = trial.place
  if (![...meets, ...breaks].some(({ book, schema }) => book.isUnmodelled(schema))) return []
  return [...mentioned.flatMap(({ facts }) => facts.samples), ...commonTexts]
}
