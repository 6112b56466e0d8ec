import { limits } from '../contract/base/limits.ts'
import type { BoundHit, Bounds, Explored } from '../contract/configuration/verification.ts'
import type { Target } from './operations.ts'
import type { StepBudget } from './step-budget.ts'

/** Bytes of a request body, where the service does not say. */
export const bodyLimitDefault = 262_144

/** What a proof takes for granted and what it says nothing about (specification.md#verification-of-policies). */
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

/** The bounds that held, and the first one that was hit. */
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
