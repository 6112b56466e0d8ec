import { setImmediate as nextTurn } from 'node:timers/promises'
import { monotonicMs } from './clock.ts'
import { isOutage } from './outage.ts'

/**
 * Group concurrent calls: an item that finds the lane free leaves at once, alone; items that arrive while a group is
 * under way form the next one. A group commit is then as cheap as one commit, and a group of one costs nothing.
 */
export interface LaneOptions<Item, Answer> {
  /**
   * Answers in the order of the items. A group that fails is run again item by item: a bad one fails alone. An outage is
   * of no item: a group that met one at once, such as a connection that was lost, is run once more as it is; otherwise all
   * are told who wait, since the next group would wait as long for the same.
   */
  run(items: Item[]): Promise<Answer[]>
  /** Items per group at most. */
  size_max: number
  /** Groups under way at once. */
  lanes: number
  /** The first item waits for those that come in the same turn of the event loop. */
  gathers?: boolean
}

export function createLane<Item, Answer>(
  options: LaneOptions<Item, Answer>,
): (item: Item) => Promise<Answer> {
  const waiting: Waiting<Item, Answer>[] = []
  let underWay = 0

  const depart = (): void => {
    while (underWay < options.lanes && waiting.length > 0) {
      underWay += 1
      void runGroup(waiting.splice(0, options.size_max)).then(leave)
    }
  }

  /** The next group is on its way before this one is told: while it is away there is time for that. */
  const leave = async (tell: () => void): Promise<void> => {
    underWay -= 1
    if (waiting.length > 0) {
      depart()
      await nextTurn()
    }
    tell()
  }

  /** What its callers are to be told. */
  const runGroup = async (group: readonly Waiting<Item, Answer>[], again = false): Promise<() => void> => {
    const begun = monotonicMs()
    try {
      const answers = await options.run(group.map(({ item }) => item))
      return () => {
        for (const [at, { resolve }] of group.entries()) resolve(answers[at] as Answer)
      }
    } catch (error) {
      const outage = isOutage(error)
      if (outage && !again && monotonicMs() - begun < atOnceMs) return runGroup(group, true)
      if (!outage && group.length > 1) return runEach(group)
      const told = outage ? [...group, ...waiting.splice(0)] : group
      return () => {
        for (const { reject } of told) reject(error)
      }
    }
  }

  const runEach = async (group: readonly Waiting<Item, Answer>[]): Promise<() => void> => {
    const each = await Promise.all(group.map(alone => runGroup([alone])))
    return () => {
      for (const tell of each) tell()
    }
  }

  return item =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject })
      if (options.gathers) setImmediate(depart)
      else depart()
    })
}

const atOnceMs = 1_000

interface Waiting<Item, Answer> {
  item: Item
  resolve(answer: Answer): void
  reject(error: unknown): void
}
