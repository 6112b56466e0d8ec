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
  /**
   * `missing`: the value must be absent. `never`: it must be both present and absent, which is a
   * contradiction.
   */
  presence: 'optional' | 'required' | 'missing' | 'never'
  /** True if the search may also try stricter schemas, so that a value is likelier to meet an opaque keyword. */
  guesses: boolean
  want: number
}

/**
 * Values that fit, simple ones first; an undefined value is a missing one. Without a doubt, an empty list
 * proves that no value fits, and a list shorter than wanted proves that no further class fits.
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
