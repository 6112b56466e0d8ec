import { setImmediate as nextTurn } from 'node:timers/promises'
import { monotonicMs } from './clock.ts'

/**
 * Groups concurrent calls, because committing a group costs no more than committing one item. An item leaves at
 * once and alone if no group is running. Items that arrive while a group is running form the next group.
 */
export interface BatcherOptions<Item, Answer> {
  /**
   * Returns answers in the order of the items. After an error the batcher runs each item alone, so that only the
   * bad item fails.
   */
  run(items: Item[]): Promise<Answer[]>
  size_max: number
  groups_max: number
  /**
   * A second group starts only when this many items wait, because smaller groups would cost more than they save.
   */
  crowd?: number
  gathers?: boolean
  /**
   * Returns true if an error affects all items, such as a lost connection. A group with such an error within 1
   * second runs once more. If all running groups fail with such an error, the waiting items fail too, because
   * their group would only wait for the same error.
   */
  isOfAll?(error: unknown): boolean
}

export function createBatcher<Item, Answer>(
  options: BatcherOptions<Item, Answer>,
): (item: Item) => Promise<Answer> {
  const waiting: Waiting<Item, Answer>[] = []
  const { crowd = 1 } = options
  let underWay = 0
  let failedForAll = 0

  const depart = (): void => {
    while (underWay < options.groups_max && waiting.length >= (underWay === 0 ? 1 : crowd)) {
      underWay += 1
      void runGroup(waiting.splice(0, options.size_max)).then(leave)
    }
  }

  /**
   * Starts the next group before it answers this group's callers, so that the callers run during the next group.
   */
  const leave = async (tell: () => void): Promise<void> => {
    underWay -= 1
    if (waiting.length > 0) {
      depart()
      await nextTurn()
    }
    tell()
  }

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
