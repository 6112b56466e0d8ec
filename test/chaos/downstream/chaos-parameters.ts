import type { ModuleScript } from './downstream-call.ts'

/** How a proposal of a run asks for its call: scripts by attempt, the last one for all that follow. */
export interface ChaosParameters {
  scripts: ModuleScript[]
  before_ms: number
  after_ms: number
  /** Look-ups of a module actuator come to nothing: only an operator can find out. */
  mute: boolean
}
