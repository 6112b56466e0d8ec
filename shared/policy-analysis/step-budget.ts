import type { BoundHit } from '../contract/configuration/verification.ts'

/** Why a question stays open: a keyword that is not modelled, or a bound. */
export type Doubt = { keyword: string; path: string } | BoundHit

/** Thrown when the steps are used up: every answer that is still open becomes inconclusive. */
export class OutOfSteps extends Error {
  readonly hit: BoundHit

  constructor(hit: BoundHit) {
    super(`more than ${hit.limit} steps`)
    this.hit = hit
  }
}

/** Work until others get a turn, in the time that judging one value takes, about: a millisecond or two in all. */
const workPerSlice = 1_000

/** What work costs beside judging one value. */
export const cost = { place: 4, rules: 40, replay: 60, decision: 10 } as const

/** Counts the work, so that bounds are counts and answers are deterministic. */
export class StepBudget {
  readonly stepsMax: number
  steps = 0
  classes = 0
  replays = 0
  private work = 0

  constructor(stepsMax: number) {
    this.stepsMax = stepsMax
  }

  /** One place of one question. */
  step(at: () => string): void {
    this.steps += 1
    this.work += cost.place
    if (this.steps > this.stepsMax) {
      this.steps = this.stepsMax
      throw new OutOfSteps({ bound: 'steps', limit: this.stepsMax, at: at() })
    }
  }

  /** One value that is judged. */
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

  /** Whether others should get a turn now. */
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
