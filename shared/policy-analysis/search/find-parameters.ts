import { isPlainObject, type JsonObject } from '../../contract/base/json.ts'
import { limits } from '../../contract/base/limits.ts'
import type { Slices } from '../../contract/base/slices.ts'
import { type Demand, demandOf, isExcluded, noDemand } from '../demand.ts'
import type { OperationRules } from '../operation-rules.ts'
import type { Found, Place, Search } from '../path.ts'
import { needsNothing, type Predicate } from '../predicate.ts'
import type { Asked } from '../schema-index.ts'
import type { Doubt } from '../step-budget.ts'
import { admitsFresh, alternativesOf, type Level } from './alternatives.ts'
import { presenceIn, propertyOf, setMember } from './object-members.ts'

export interface FoundParameters {
  parameters: JsonObject | null
  doubt: Doubt | null
  blocked: string
}

export interface ParametersQuery {
  demands: ReadonlyMap<string, Demand>
  meets: readonly Asked[]
  breaks: readonly Asked[]
}

export function* findParameters(query: ParametersQuery, search: Search): Slices<FoundParameters> {
  const found = yield* search.find({
    path: '',
    depth: 0,
    demand: demandOf([isObject], query.demands),
    meets: query.meets,
    breaks: query.breaks,
    inherited: [],
    presence: 'required',
    guesses: true,
    want: 1,
  })
  const [parameters] = found.values
  if (isPlainObject(parameters)) return { parameters, doubt: null, blocked: '' }
  return { parameters: null, doubt: found.doubt, blocked: '' }
}

const isObject: Predicate = { holds: isPlainObject, constants: [], bounds: [], needs: needsNothing }

const tooManyBranches: Doubt = { bound: 'branches', limit: limits.verify_branches_max, at: 'parameters' }

/**
 * A search for parameters that one operation's rules admit. Each question changes the demands on a few
 * parameters only, so the results for all other parameters are cached.
 */
export class AdmittedParameters {
  private readonly rules: OperationRules
  private readonly ways: Level[][] | null
  private readonly split: boolean
  private readonly untouched = new Map<readonly Level[], Map<string, Found>>()

  constructor(rules: OperationRules) {
    this.rules = rules
    this.ways = alternativesOf(rules.schema ? [rules.schema] : [])
    this.split = isSplit(this.ways ?? [])
  }

  /** Finds parameters. The demands in `touched` replace the rules' demands on the same top-level parameters. */
  *find(touched: ReadonlyMap<string, Demand>, search: Search): Slices<FoundParameters> {
    if (this.ways === null) return { parameters: null, doubt: tooManyBranches, blocked: '' }
    for (const [name, demand] of touched) {
      if (!isExcluded(demand)) continue
      search.meter.step(() => name)
      return { parameters: null, doubt: null, blocked: name }
    }
    if (!this.split) return yield* this.findWhole(touched, search)
    const none: FoundParameters = { parameters: null, doubt: null, blocked: '' }
    for (const way of this.ways) {
      const found = yield* this.findIn(way, touched, search)
      if (found.parameters) return found
      none.doubt ??= found.doubt
      none.blocked ||= found.blocked
    }
    return none
  }

  private findWhole(touched: ReadonlyMap<string, Demand>, search: Search): Slices<FoundParameters> {
    const { schema, demands } = this.rules
    const query = { demands: new Map([...demands, ...touched]), meets: schema ? [schema] : [], breaks: [] }
    return findParameters(query, search)
  }

  /**
   * Searches the touched parameters first, because most questions end there. It stops at a parameter without
   * a value.
   */
  private *findIn(
    way: readonly Level[],
    touched: ReadonlyMap<string, Demand>,
    search: Search,
  ): Slices<FoundParameters> {
    const whole: FoundParameters = { parameters: {}, doubt: null, blocked: '' }
    if (!admitsFresh(way, 'object')) return { ...whole, parameters: null }
    for (const [name, demand] of touched) {
      if (!place(whole, name, yield* search.find(topLevel(way, name, demand)))) return whole
    }
    const required = way.flatMap(({ facts }) => facts.required)
    for (const name of new Set([...this.rules.demands.keys(), ...required])) {
      if (touched.has(name)) continue
      if (!place(whole, name, yield* this.findUntouched(way, name, search))) return whole
    }
    return whole.doubt ? { ...whole, parameters: null } : whole
  }

  private *findUntouched(way: readonly Level[], name: string, search: Search): Slices<Found> {
    const ofWay = this.untouched.get(way) ?? new Map<string, Found>()
    this.untouched.set(way, ofWay)
    const known = ofWay.get(name)
    if (known) return known
    const found = yield* search.find(topLevel(way, name, this.rules.demands.get(name) ?? noDemand))
    ofWay.set(name, found)
    return found
  }
}

/** Sets a parameter to the first value found. Returns false if it is proved that no value exists. */
function place(whole: FoundParameters, name: string, { values, doubt }: Found): boolean {
  if (values.length === 0) {
    whole.blocked = name
    whole.doubt = doubt && (whole.doubt ?? doubt)
    if (doubt === null) whole.parameters = null
    return doubt !== null
  }
  if (whole.parameters) setMember(whole.parameters, name, values[0])
  return true
}

/** Returns false if a keyword judges all parameters at once, because these must be searched together. */
function isSplit(ways: readonly Level[][]): boolean {
  return ways.flat().every(({ facts }) => facts.atoms.length === 0 && facts.constants === null)
}

function topLevel(way: readonly Level[], path: string, demand: Demand): Place {
  return {
    path,
    depth: 1,
    demand,
    meets: propertyOf(way, path),
    breaks: nothing,
    inherited: nothing,
    presence: presenceIn(way, path, false),
    guesses: true,
    want: 1,
  }
}

const nothing: readonly never[] = []
