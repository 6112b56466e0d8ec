import { type RiskLevel, riskLevels } from '../../contract/action/proposal-schema.ts'
import type { Decision } from '../../contract/action/verdict.ts'
import type { JsonObject } from '../../contract/base/json.ts'
import type { Slices } from '../../contract/base/slices.ts'
import { mergeDemands } from '../demand.ts'
import type { OperationRules } from '../operation-rules.ts'
import type { Search } from '../path.ts'
import type { Asked } from '../schema-index.ts'
import { findParameters } from '../search/find-parameters.ts'
import { admittedParameters, type Failure, failuresOf, type Sketch } from '../search/reachability.ts'
import type { Doubt } from '../step-budget.ts'

/** The rules of one operation on both sides. The search looks for proposals that `low` decides more strictly. */
export interface Sides {
  low: OperationRules
  high: OperationRules
}

export interface Rise {
  from: Decision
  to: Decision
}

export const rises: readonly Rise[] = [
  { from: 'deny', to: 'needs_approval' },
  { from: 'deny', to: 'allow' },
  { from: 'needs_approval', to: 'allow' },
]

export interface Risen {
  sketch: Sketch | null
  doubt: Doubt | null
}

const none: Risen = { sketch: null, doubt: null }

/** Returns a proposal for each rise, or the doubt that leaves open whether a proposal exists. */
export function* risesOf(sides: Sides, search: Search): Slices<Risen[]> {
  if (sides.high.refusal !== null) return rises.map(() => none)
  const held = claimFor(sides, rises[2])
  const denied = rises.slice(0, 2).map(rise => claimFor(sides, rise))
  const fromDeny = denied.some(claim => claim !== undefined) ? yield* onlyHigh(sides, search) : nothingFound
  const fromHold = held === undefined ? nothingFound : yield* onBoth(sides, search)
  return [...denied.map(claim => risen(fromDeny, claim)), risen(fromHold, held)]
}

interface FoundOne {
  parameters: JsonObject | null
  doubt: Doubt | null
}

const nothingFound: FoundOne = { parameters: null, doubt: null }

function risen({ parameters, doubt }: FoundOne, claim: RiskLevel | undefined): Risen {
  if (claim === undefined) return none
  return { sketch: parameters && { parameters, claim }, doubt }
}

export function* deniesEverything(rules: OperationRules, search: Search): Slices<boolean> {
  if (rules.refusal !== null) return true
  const { parameters, doubt } = yield* admittedParameters(rules).find(new Map(), search)
  return parameters === null && doubt === null
}

/**
 * Returns the claimed risk that leads to the rise. Only the claim decides about a proposal that passes all
 * checks.
 */
function claimFor({ low, high }: Sides, rise: Rise | undefined): RiskLevel | undefined {
  return riskLevels.find(
    claim =>
      high.decisions[claim] === rise?.to &&
      (rise.from === 'deny' || (low.refusal === null && low.decisions[claim] === rise.from)),
  )
}

/** Searches for parameters that only the higher side admits. It breaks one check of the lower side at a time. */
function* onlyHigh(sides: Sides, search: Search): Slices<FoundOne> {
  const { low, high } = sides
  const meets = high.schema ? [high.schema] : []
  let doubt: Doubt | null = null
  for (const failure of failuresOf(low)) {
    if (isShared(sides, failure)) continue
    const demands = mergeDemands(high.demands, failure.demands)
    const found = yield* findParameters({ demands, meets, breaks: failure.breaks }, search)
    if (found.parameters) return found
    doubt ??= found.doubt
  }
  return { parameters: null, doubt }
}

/** Returns true if a check has the same text on both sides, because it can never tell the sides apart. */
function isShared({ low, high }: Sides, { path, breaks }: Failure): boolean {
  if (path !== null) return JSON.stringify(low.written[path]) === JSON.stringify(high.written[path])
  const [one, other] = [low.schema, high.schema]
  return breaks.length > 0 && one !== null && other !== null && textOf(one) === textOf(other)
}

function textOf({ book, schema }: Asked): string {
  return book.text(schema)
}

function onBoth({ low, high }: Sides, search: Search): Slices<FoundOne> {
  const meets = [low.schema, high.schema].filter(schema => schema !== null)
  const demands = mergeDemands(low.demands, high.demands)
  return findParameters({ demands, meets, breaks: [] }, search)
}
