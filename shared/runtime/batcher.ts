import { setImmediate as nextTurn } from 'node:timers/promises'
import { monotonicMs } from './clock.ts'

/**
 * Group concurrent calls: an item that finds the batcher free leaves at once, alone; items that arrive while a group is
 * under way form the next one. A group commit is then as cheap as one commit, and a group of one costs nothing.
 */
export interface BatcherOptions<Item, Answer> {
  /** Answers in the order of the items. A group that fails is run again item by item: a bad one fails alone. */
  run(items: Item[]): Promise<Answer[]>
  /** Items per group at most. */
  size_max: number
  /** Groups under way at once. */
  groups_max: number
  /** So many wait before a group leaves beside one that is under way: small groups would cost more than they gain. */
  crowd?: number
  /** The first item waits for those that come in the same turn of the event loop. */
  gathers?: boolean
  /**
   * Whether an error is of no item at all. A group that met one at once, such as a connection that was lost, is run once
   * more as it is. Where all groups under way have met one, all are told who wait: the next would wait as long for the same.
   */
  isOfAll?(error: unknown): boolean
}

export function createBatcher<Item, Answer>(
  options: BatcherOptions<Item, Answer>,
): (item: Item) => Promise<Answer> {
  const waiting: Waiting<Item, Answer>[] = []
  const { crowd = 1 } = options
  let underWay = 0
  /** Groups that ended in an error of all, since one did not. */
  let failedForAll = 0

  const depart = (): void => {
    while (underWay < options.groups_max && waiting.length >= (underWay === 0 ? 1 : crowd)) {
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
      failedForAll = 0
      return resolving(group, answers)
    } catch (error) {
      if (!options.isOfAll?.(error)) return group.length > 1 ? runEach(group) : rejecting(group, error)
      if (!again && monotonicMs() - begun < atOnceMs) return runGroup(group, true)
      return rejecting([...group, ...alsoMet()], error)
    }
  }

  /** Who waits, where no group under way is known to be better. */
  const alsoMet = (): Waiting<Item, Answer>[] => {
    failedForAll += 1
    return failedForAll < underWay ? [] : waiting.splice(0)
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

function resolving<Item, Answer>(
  group: readonly Waiting<Item, Answer>[],
  answers: readonly Answer[],
): () => void {
  return () => {
    for (const [at, { resolve }] of group.entries()) resolve(answers[at] as Answer)
  }
}

function rejecting<Item, Answer>(group: readonly Waiting<Item, Answer>[], error: unknown): () => void {
  return () => {
    for (const { reject } of group) reject(error)
  }
}

interface Waiting<Item, Answer> {
  item: Item
  resolve(answer: Answer): void
  reject(error: unknown): void
}
