import type { JsonValue } from '../contract/base/json.ts'
import type { Slices } from '../contract/base/slices.ts'
import type { Demand } from './demand.ts'
import type { Asked } from './schema-index.ts'
import type { TextSpaces } from './search/text-space.ts'
import type { Doubt, StepBudget } from './step-budget.ts'

/** A position in the parameters for which the search looks for values. */
export interface Place {
  path: string
  depth: number
  demand: Demand
  meets: readonly Asked[]
  /** Schemas that a present value must break. */
  breaks: readonly Asked[]
  inherited: readonly JsonValue[]
  /** A presence, of which `never` is a contradiction: the value must be present and must not be. */
  presence: 'optional' | 'required' | 'missing' | 'never'
  /** True if the search may demand more than asked, so that the value meets an opaque keyword. */
  guesses: boolean
  want: number
}

/**
 * Values that fit, simple ones first, with undefined for a missing value. An empty list proves that none
 * fits, unless a doubt is given; a shorter list than wanted likewise leaves no further class.
 */
export interface Found {
  values: (JsonValue | undefined)[]
  doubt: Doubt | null
}

export type Find = (place: Place) => Slices<Found>

export interface Search {
  readonly meter: StepBudget
  readonly find: Find
  readonly texts: TextSpaces
  readonly lengthMax: number
}
