import type { AccessChange } from '../../contract/configuration/policy-diff.ts'
import type { BoundHit } from '../../contract/configuration/verification-schema.ts'
import { proposalOf } from '../operation-rules.ts'
import type { Subject } from '../operations.ts'
import { clausesOf, type Replayed, replay, type Stage, withParameters } from '../replay.ts'
import type { Sketch } from '../search/reachability.ts'
import { shrink } from '../search/shrink.ts'
import { cost } from '../step-budget.ts'
import type { Rise, Sides } from './access-changes.ts'

/**
 * The side that decides more permissively: the new documents (`new`), or the old documents, whose access is
 * lost (`lost`).
 */
export type Direction = 'new' | 'lost'

interface Sketched {
  rise: Rise
  sides: Sides
  sketch: Sketch
  everything: boolean
  shown: boolean
}

interface Setting {
  stage: Stage
  from: Subject
  to: Subject
  direction: Direction
}

/** Returns the change with a shortened witness, or null unless the gates of both sides confirm the witness. */
export function confirmChange(
  { rise, sides, sketch, everything, shown }: Sketched,
  { stage, from, to, direction }: Setting,
): AccessChange | BoundHit | null {
  const first = replayBoth(sides, sketch, stage)
  if (!first.low.ok) return first.low.hit
  const found = first.low.proposal
  if (!rose(first, rise)) return null
  const isChange = (parameters: Sketch['parameters']): boolean => {
    stage.meter.spend(cost.decision)
    const proposal = withParameters(found, parameters)
    const low = sides.low.evaluate(proposal).decision
    return low === rise.from && sides.high.evaluate(proposal).decision === rise.to
  }
  const parameters = shown ? shrink(sketch.parameters, isChange) : sketch.parameters
  const { low, high } = shown ? replayBoth(sides, { ...sketch, parameters }, stage) : first
  if (!low.ok || !high.ok || !rose({ low, high }, rise)) return null
  const [before, after] = direction === 'new' ? [low, high] : [high, low]
  const [rulesBefore, rulesAfter] = direction === 'new' ? [sides.low, sides.high] : [sides.high, sides.low]
  const { system, operation, fresh } = sides.low.target
  return {
    system,
    operation,
    unnamed: fresh,
    before: before.evaluation.decision,
    after: after.evaluation.decision,
    everything,
    decided_before: clausesOf(before.evaluation, rulesBefore, from),
    decided_after: clausesOf(after.evaluation, rulesAfter, to),
    witness: low.proposal,
  }
}

interface BothReplayed {
  low: Replayed
  high: Replayed
}

function replayBoth({ low, high }: Sides, { parameters, claim }: Sketch, stage: Stage): BothReplayed {
  const least = proposalOf(low.target)
  const proposal = {
    ...least,
    summary: 'Witness of a policy difference',
    action: { ...least.action, parameters },
    risk: { level: claim },
  }
  return { low: replay(proposal, low, stage), high: replay(proposal, high, stage) }
}

function rose({ low, high }: BothReplayed, { from, to }: Rise): boolean {
  return low.ok && high.ok && low.evaluation.decision === from && high.evaluation.decision === to
}
