import { limits } from '../../contract/base/limits.ts'
import type { Slices } from '../../contract/base/slices.ts'
import type { AccessChange, AccessGroup, PolicyDiff } from '../../contract/configuration/policy-diff.ts'
import type { GateMode } from '../../contract/configuration/verification-schema.ts'
import { type RulesLookup, rulesLookup } from '../operation-rules.ts'
import { boundedTargets, type Subject, type Target, Universe } from '../operations.ts'
import type { Search } from '../path.ts'
import type { Stage } from '../replay.ts'
import { createSearch } from '../search/find.ts'
import {
  assumptions,
  bodyLimitDefault,
  boundsOf,
  type Doubt,
  doubtText,
  exploredBy,
  OutOfSteps,
  StepBudget,
} from '../step-budget.ts'
import { deniesEverything, type Rise, type Risen, rises, risesOf, type Sides } from './access-changes.ts'
import { confirmChange, type Direction } from './confirm-change.ts'

export interface DiffInput {
  from: Omit<Subject, 'mode'>
  to: Omit<Subject, 'mode'>
  mode: GateMode
  bounds?: { max_steps?: number | undefined } | undefined
  bodyLimit?: number
}

const changesListedMax = 100
const emptiedNamedMax = 3

/**
 * Finds the proposals that two pairs of documents decide differently, or proves that none exist
 * (specification.md#verification-of-policies). Both gates decide each witness. A rewrite with the same effect
 * shows no change.
 */
export function* diffPolicies(input: DiffInput): Slices<PolicyDiff> {
  const comparison = beginComparison(input)
  const up = yield* compare(comparison, 'new')
  const down = yield* compare(comparison, 'lost')
  const group = (tallies: readonly Counters[], at: number): AccessGroup =>
    groupOf(tallies[at] ?? emptyCounters())
  const { meter, visited } = comparison
  const hit = [...up, ...down].map(({ doubt }) => doubt).find(doubt => doubt !== null && 'bound' in doubt)
  const approvals = approvalsChange(input)
  return {
    result: approvals ? 'different' : resultOf([...up, ...down]),
    new_access: {
      deny_to_needs_approval: group(up, 0),
      deny_to_allow: group(up, 1),
      needs_approval_to_allow: group(up, 2),
    },
    lost_access: {
      needs_approval_to_deny: group(down, 0),
      allow_to_deny: group(down, 1),
      allow_to_needs_approval: group(down, 2),
    },
    ...(approvals ? { approvals_required: approvals } : {}),
    explored: exploredBy(visited, meter),
    bounds: boundsOf(meter, hit && 'bound' in hit ? hit : null),
    assumptions: [...assumptions],
  }
}

/** Compares the required approvals directly, because one number applies to every held action. */
function approvalsChange({ from, to }: DiffInput): PolicyDiff['approvals_required'] {
  const before = from.policy.approvals_required ?? 1
  const after = to.policy.approvals_required ?? 1
  return before === after ? undefined : { before, after }
}

interface Comparison {
  from: Subject
  to: Subject
  rulesFrom: RulesLookup
  rulesTo: RulesLookup
  targets: readonly Target[]
  meter: StepBudget
  search: Search
  stage: Stage
  visited: Set<Target>
}

function beginComparison({ from, to, mode, bounds, bodyLimit = bodyLimitDefault }: DiffInput): Comparison {
  const universe = new Universe()
  const sides = { from: { ...from, mode }, to: { ...to, mode } }
  universe.addDocuments(sides.from)
  universe.addDocuments(sides.to)
  const meter = new StepBudget(
    Math.min(bounds?.max_steps ?? limits.verify_steps_max, limits.verify_steps_max),
  )
  return {
    ...sides,
    rulesFrom: rulesLookup(sides.from, meter),
    rulesTo: rulesLookup(sides.to, meter),
    targets: universe.targets(),
    meter,
    search: createSearch(meter, bodyLimit),
    stage: { meter, bodyLimit },
    visited: new Set(),
  }
}

interface Counters {
  total: number
  changes: AccessChange[]
  doubt: Doubt | null
  /** Operations that now deny everything, while it is unknown whether anything passed before. */
  emptied: string[]
  mismatches: number
}

function emptyCounters(): Counters {
  return { total: 0, changes: [], doubt: null, emptied: [], mismatches: 0 }
}

/**
 * Counts the changes in one direction. Lost access is searched as a rise from the new documents to the old
 * ones.
 */
function* compare(comparison: Comparison, direction: Direction): Slices<Counters[]> {
  const { targets, visited, rulesFrom, rulesTo, search, meter } = comparison
  const tallies = rises.map(emptyCounters)
  const doubtAll = (doubt: Doubt): void => {
    for (const tally of tallies) tally.doubt ??= doubt
  }
  try {
    const bounded = boundedTargets(targets)
    if (bounded.hit) doubtAll(bounded.hit)
    for (const target of bounded.targets) {
      visited.add(target)
      if (meter.due) yield
      const [before, after] = [rulesFrom(target), rulesTo(target)]
      const sides = direction === 'new' ? { low: before, high: after } : { low: after, high: before }
      const found = yield* risesWithin(sides, search)
      const isOpen = found.some(({ sketch, doubt }) => sketch !== null || doubt !== null)
      const denied = isOpen && (yield* deniesEverything(sides.low, search))
      for (const [at, risen] of found.entries()) {
        note(
          { tally: tallies[at] ?? emptyCounters(), rise: rises[at], risen, sides, denied },
          { ...comparison, direction },
        )
      }
    }
  } catch (error) {
    if (!(error instanceof OutOfSteps)) throw error
    doubtAll(error.hit)
  }
  return tallies
}

function* risesWithin(sides: Sides, search: Search): Slices<Risen[]> {
  const { low, high } = sides
  const paths = low.constraints.length + high.constraints.length
  if (paths <= limits.verify_paths_max) return yield* risesOf(sides, search)
  const { system, operation } = low.target
  const hit = { bound: 'paths', limit: limits.verify_paths_max, at: `${system}/${operation}` } as const
  return rises.map(() => ({ sketch: null, doubt: hit }))
}

interface Noted {
  tally: Counters
  rise: Rise | undefined
  risen: Risen
  sides: Sides
  denied: boolean
}

/** Counts a change only if both gates confirm its witness. */
function note(
  { tally, rise, risen, sides, denied }: Noted,
  context: Comparison & { direction: Direction },
): void {
  tally.doubt ??= risen.doubt
  const { system, operation } = sides.low.target
  if (risen.doubt && denied && context.direction === 'lost') tally.emptied.push(`${system}/${operation}`)
  if (!risen.sketch || !rise) return
  const shown = tally.changes.length < changesListedMax
  const everything = denied && rise.from === 'deny'
  const change = confirmChange({ rise, sides, sketch: risen.sketch, everything, shown }, context)
  if (change === null) {
    tally.mismatches += 1
    return
  }
  if ('bound' in change) {
    tally.doubt ??= change
    return
  }
  tally.total += 1
  if (shown) tally.changes.push(change)
}

function groupOf({ total, changes, doubt, emptied, mismatches }: Counters): AccessGroup {
  const named = emptied.slice(0, emptiedNamedMax).join(', ')
  const more = emptied.length > emptiedNamedMax ? ` and ${emptied.length - emptiedNamedMax} more` : ''
  const why = [
    ...(emptied.length > 0 ? [`nothing passes any more for ${named}${more}, whatever passes now`] : []),
    ...(doubt ? [doubtText(doubt)] : []),
    ...(mismatches > 0 ? [`internal error: the gate did not confirm ${mismatches} of the witnesses`] : []),
  ].join('; ')
  const open = why !== ''
  const result = total > 0 ? 'some' : open ? 'inconclusive' : 'none'
  return { result, ...(open ? { why } : {}), total, changes }
}

function resultOf(tallies: readonly Counters[]): PolicyDiff['result'] {
  if (tallies.some(({ total }) => total > 0)) return 'different'
  return tallies.some(({ doubt, mismatches }) => doubt !== null || mismatches > 0)
    ? 'inconclusive'
    : 'equivalent'
}
