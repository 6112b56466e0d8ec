import { setImmediate as nextTurn } from 'node:timers/promises'
import { monotonicMs } from './clock.ts'

/**
 * Groups concurrent calls. An item that finds the batcher free leaves at once and alone; items that arrive while a
 * group is under way form the next one. A group commit then costs no more than a single commit, and a single item
 * waits for no other.
 */
export interface BatcherOptions<Item, Answer> {
  /**
   * Returns answers in the order of the items. After an error each item runs again alone, so that a bad one fails
   * alone.
   */
  run(items: Item[]): Promise<Answer[]>
  size_max: number
  groups_max: number
  /**
   * The number of items that must wait before a second group leaves, because small groups would cost more than
   * they gain.
   */
  crowd?: number
  gathers?: boolean
  /**
   * Returns true if an error concerns no single item, such as a lost connection. A group that fails so within 1
   * second runs once more. If all groups under way fail so, all waiting items fail too, because the next group
   * would wait as long for the same error.
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

  /** Starts the next group before it reports this one, so that callers run while that group is away. */
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
