import type { JsonValue } from '../contract/base/json.ts'
import type { Slices } from '../contract/base/slices.ts'
import type { Demand } from './demand.ts'
import type { Asked } from './schema-index.ts'
import type { TextSpaces } from './search/text-space.ts'
import type { Doubt, StepBudget } from './step-budget.ts'

/** A place in the parameters for which values are looked for. */
export interface Place {
  /** The path to it, for people; empty: the parameters themselves. */
  path: string
  depth: number
  demand: Demand
  /** Schemas that the value meets. */
  meets: readonly Asked[]
  /** Schemas that the value does not meet; then it is there. */
  breaks: readonly Asked[]
  /** What constants for the values around have at this place. */
  inherited: readonly JsonValue[]
  /** `never`: it would have to be there and must not be. */
  presence: 'optional' | 'required' | 'missing' | 'never'
  /** Whether more than is asked may be asked of the value, so that it meets an opaque keyword. */
  guesses: boolean
  /** How many values are asked for, if there are so many. */
  want: number
}

/**
 * Values that do, undefined for none at all, simple ones first. Without any: there is none, unless a doubt says why that is
 * not known. Fewer than were wanted: with one of each class, there are no more classes, but for the doubt.
 */
export interface Found {
  values: (JsonValue | undefined)[]
  doubt: Doubt | null
}

/** Looks for values at a place; handed to the parts of the search that look for values inside. */
export type Find = (place: Place) => Slices<Found>

export interface Search {
  readonly meter: StepBudget
  readonly find: Find
  readonly texts: TextSpaces
  /** Longest text that a proposal can hold. */
  readonly lengthMax: number
}
