/**
 * Group concurrent calls: an item that finds the lane free leaves at once, alone; items that arrive while a group is
 * under way form the next one. A group commit is then as cheap as one commit, and a group of one costs nothing.
 */
export interface LaneOptions<Item, Answer> {
  /** Answers in the order of the items. A group that fails is run again item by item: a bad one fails alone. */
  run(items: Item[]): Promise<Answer[]>
  /** Items per group at most. */
  size_max: number
  /** Groups under way at once. */
  lanes: number
}

export function createLane<Item, Answer>(
  options: LaneOptions<Item, Answer>,
): (item: Item) => Promise<Answer> {
  const waiting: Waiting<Item, Answer>[] = []
  let underWay = 0

  const depart = (): void => {
    while (underWay < options.lanes && waiting.length > 0) {
      const group = waiting.splice(0, options.size_max)
      underWay += 1
      void runGroup(group).finally(() => {
        underWay -= 1
        depart()
      })
    }
  }

  const runGroup = async (group: Waiting<Item, Answer>[]): Promise<void> => {
    try {
      const answers = await options.run(group.map(({ item }) => item))
      group.forEach(({ resolve }, at) => {
        resolve(answers[at] as Answer)
      })
    } catch (error) {
      if (group.length === 1) group[0]?.reject(error)
      else await Promise.all(group.map(runAlone))
    }
  }

  const runAlone = (alone: Waiting<Item, Answer>): Promise<void> => runGroup([alone])

  return item =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject })
      depart()
    })
}

interface Waiting<Item, Answer> {
  item: Item
  resolve(answer: Answer): void
  reject(error: unknown): void
}
