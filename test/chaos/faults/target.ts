import type { OrderLine } from '../check/evidence.ts'
import type { Requests } from '../requests.ts'
import type { World } from '../world.ts'

/** What a fault met when it struck. */
export interface Hit {
  kill: boolean
  in_flight: number
  leased: string[]
  exit_ms: number | null
}

/** What is struck, and who knows how much is under way. */
export interface Target {
  world: World
  requests: Requests
  /** Write down what was ordered and acknowledged. */
  order(line: OrderLine): void
}

export const noKill: Hit = { kill: false, in_flight: 0, leased: [], exit_ms: null }
