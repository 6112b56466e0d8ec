import { monotonicMs } from '../shared/runtime/clock.ts'

/** A call: when it began on the monotonic clock, and after how many milliseconds it is ended. */
export interface Timed {
  begun: number
  msMax: number
}

/** How much of the time that they are given calls take: 1 is all of it. */
export interface DeadlineUsed {
  ended(call: Timed): void
  /** The largest part, of these under way and of those that ended at last. */
  most(underWay: Iterable<Timed>): number
}

const rememberedMsMin = 30_000

/**
 * A call that has ended is remembered until the next may have taken as much, and for half a minute at least, so that calls
 * that hang one after the other are seen at any moment: for once to twice that time.
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
