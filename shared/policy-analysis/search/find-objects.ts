import { isPlainObject, type JsonObject, type JsonValue } from '../../contract/base/json.ts'
import type { Slices } from '../../contract/base/slices.ts'
import { noDemand } from '../demand.ts'
import type { Found, Place, Search } from '../path.ts'
import type { Doubt } from '../step-budget.ts'
import { admitsFresh, type Level } from './alternatives.ts'
import type { Candidate } from './candidate.ts'
import { combinations } from './combinations.ts'
import { inheritedBy, isClosed, objectOf, presenceIn, propertyOf } from './object-members.ts'
import { type Violation, violationsOf } from './violations.ts'

/** The number of extra objects to try, because an unmodelled keyword may refuse the first ones. */
const guessesMax = 40

export function* findObjects(trial: Candidate, way: readonly Level[], search: Search): Slices<void> {
  const { place } = trial
  if (!admitsFresh(way, 'object') || !trial.admitsFresh(freshObject)) return
  const { breaches, complete } = violationsOf(place.breaks, way, place.demand)
  if (!complete) trial.doubt({ bound: 'branches', limit: breaches.length, at: place.path })
  for (const breach of breaches) {
    yield* buildObjects(trial, { way, breach }, search)
    if (trial.enough) return
  }
}

const freshObject: JsonValue = { '\u{10fffd}': true }

interface Plan {
  way: readonly Level[]
  breach: Violation
}

function* buildObjects(trial: Candidate, plan: Plan, search: Search): Slices<void> {
  const { place } = trial
  const closed = isClosed(plan.way)
  if (plan.breach.extra && closed) return
  const constants = trial.constants.filter(isPlainObject)
  const guesses =
    plan.way.some(({ facts }) => facts.atoms.length > 0) ||
    place.breaks.some(({ book, schema }) => book.isUnmodelled(schema))
  const want = place.want + constants.length + (guesses ? guessesMax : 0)
  const names = namesIn(place, plan, want > 1)
  const lists: Found['values'][] = []
  let doubt: Doubt | null = null
  for (const name of names) {
    const found = yield* search.find(memberPlace(trial, name, { plan, want }))
    if (found.values.length === 0 && found.doubt === null) return
    if (found.values.length < want) doubt ??= found.doubt
    lists.push(found.values)
  }
  if (doubt) trial.doubt(doubt)
  const members = combinations(lists, want).map(values => objectOf(names, values))
  const [first] = members
  const extended = closed || first === undefined ? [] : [withExtra(first, names)]
  trial.tryAll(plan.breach.extra ? extended : [...members, ...extended])
}

function namesIn({ demand }: Place, { way, breach }: Plan, several: boolean): string[] {
  return [
    ...new Set([
      ...demand.children.keys(),
      ...way.flatMap(({ facts }) => facts.required),
      ...breach.present,
      ...breach.missing,
      ...breach.broken.map(([name]) => name),
      ...(several ? way.flatMap(({ facts }) => [...facts.properties.keys()]) : []),
    ]),
  ]
}

function memberPlace(trial: Candidate, name: string, { plan, want }: { plan: Plan; want: number }): Place {
  const { place } = trial
  const { way, breach } = plan
  return {
    path: place.path === '' ? name : `${place.path}.${name}`,
    depth: place.depth + 1,
    demand: place.demand.children.get(name) ?? noDemand,
    meets: propertyOf(way, name),
    breaks: breach.broken.filter(([broken]) => broken === name).map(([, asked]) => asked),
    inherited: inheritedBy(trial.constants, name),
    presence: presenceOf(name, plan),
    guesses: true,
    want,
  }
}

function presenceOf(name: string, { way, breach }: Plan): Place['presence'] {
  const wanted = breach.present.includes(name) || breach.broken.some(([broken]) => broken === name)
  const presence = presenceIn(way, name, wanted)
  if (!breach.missing.includes(name)) return presence
  return presence === 'optional' || presence === 'missing' ? 'missing' : 'never'
}

function withExtra(object: JsonObject, names: readonly string[]): JsonObject {
  let name = 'other'
  while (names.includes(name)) name += '_'
  return { ...object, [name]: true }
}
