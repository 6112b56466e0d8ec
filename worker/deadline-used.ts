import { monotonicMs } from '../shared/runtime/clock.ts'

export interface Timed {
  begun: number
  msMax: number
}

/** Measures how much of their time limit calls use. The value 1 is the whole limit. */
export interface DeadlineUsed {
  ended(call: Timed): void
  /** Returns the largest share among the given running calls and the calls that ended recently. */
  most(underWay: Iterable<Timed>): number
}

const rememberedMsMin = 30_000

/**
 * Remembers an ended call for one to two periods. A period is the time limit of a call, and at
 * least 30 seconds, so that a series of hanging calls stays visible at every moment.
 */
export function createDeadlineUsed(callMsMax: number, clock: () => number = monotonicMs): DeadlineUsed {
  const rememberedMs = Math.max(rememberedMsMin, callMsMax)
  let since = clock()
  let most = 0
  let before = 0
  const part = ({ begun, msMax }: Timed): number => (clock() - begun) / msMax
  const turn = (): void => {
    const turns = Math.floor((clock() - since) / rememberedMs)
    if (turns === 0) return
    before = turns === 1 ? most : 0
    most = 0
    since += turns * rememberedMs
  }
  return {
    ended(call) {
      turn()
      most = Math.max(most, part(call))
    },
    most(underWay) {
      turn()
      return Math.max(most, before, ...Array.from(underWay, part))
    },
  }
}
