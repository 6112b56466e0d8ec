import { monotonicMs } from '../shared/runtime/clock.ts'

export interface Timed {
  begun: number
  msMax: number
}

/** A gauge of how much of their time limit calls take: 1 would be all of it. */
export interface DeadlineUsed {
  ended(call: Timed): void
  /** Returns the largest share among the given calls and those that ended within the last 30 seconds or longer. */
  most(underWay: Iterable<Timed>): number
}

const rememberedMsMin = 30_000

/**
 * Remembers an ended call for one to two periods. A period lasts one call limit, and at least 30 seconds, so that
 * a series of calls that hang one after the other stays visible at every moment.
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
