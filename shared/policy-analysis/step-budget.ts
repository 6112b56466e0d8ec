import { limits } from '../contract/base/limits.ts'
import type { BoundHit, Bounds, Explored } from '../contract/configuration/verification-schema.ts'
import type { Target } from './operations.ts'

/** A reason why a question stays open: an unmodelled keyword, or a bound that was hit. */
export type Doubt = { keyword: string; path: string } | BoundHit

/** The error thrown once the steps are used up. Every open answer becomes inconclusive. */
export class OutOfSteps extends Error {
  readonly hit: BoundHit

  constructor(hit: BoundHit) {
    super(`more than ${hit.limit} steps`)
    this.hit = hit
  }
}

/** The work between two yields, in judged values: about 1 to 2 ms. */
const workPerSlice = 1_000

export const cost = { place: 4, rules: 40, replay: 60, decision: 10 } as const

/** A counter of work. Its limits are counts, not times, so that answers are deterministic. */
export class StepBudget {
  readonly stepsMax: number
  steps = 0
  classes = 0
  replays = 0
  private work = 0

  constructor(stepsMax: number) {
    this.stepsMax = stepsMax
  }

  step(at: () => string): void {
    this.steps += 1
    this.work += cost.place
    if (this.steps > this.stepsMax) {
      this.steps = this.stepsMax
      throw new OutOfSteps({ bound: 'steps', limit: this.stepsMax, at: at() })
    }
  }

  judge(): void {
    this.classes += 1
    this.work += 1
  }

  replay(): void {
    this.replays += 1
    this.work += cost.replay
  }

  spend(work: number): void {
    this.work += work
  }

  get due(): boolean {
    if (this.work < workPerSlice) return false
    this.work = 0
    return true
  }
}

export function doubtText(doubt: Doubt): string {
  if ('keyword' in doubt) return `the keyword ${doubt.keyword} at ${doubt.path} is not modelled`
  return `the bound of ${doubt.limit} ${doubt.bound} was hit at ${doubt.at}`
}

export const bodyLimitDefault = 262_144

/** The assumptions of a proof, and what a proof does not cover (specification.md#verification-of-policies). */
export const assumptions = [
  'every field of a proposal is in the hands of the caller, its claim of risk included',
  'the actuator that the catalog names is registered for every system, with the tool schema that it commits to',
  'nothing is said of approvals that people give, of what actuators do, of sequences and rates of actions, of the scopes of keys, or of credentials that bypass the gate',
] as const

export function exploredBy(visited: ReadonlySet<Target>, meter: StepBudget): Explored {
  const targets = [...visited]
  return {
    systems: new Set(targets.map(({ system }) => system)).size,
    operations: targets.length,
    paths: meter.steps,
    classes: meter.classes,
    replays: meter.replays,
  }
}

export function boundsOf({ stepsMax }: StepBudget, hit: BoundHit | null): Bounds {
  return {
    forbidden: limits.verify_outcomes_max,
    operations: limits.verify_operations_max,
    paths: limits.verify_paths_max,
    constants: limits.verify_constants_max,
    depth: limits.verify_depth_max,
    branches: limits.verify_branches_max,
    steps: stepsMax,
    hit,
  }
}
