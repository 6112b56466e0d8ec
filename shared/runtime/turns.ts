/**
 * Limits how many tasks run at once. Names take turns, so that many tasks of one name do not delay another name.
 */
export interface Turns {
  wait(name: string): Promise<() => void>
}

interface Waiting {
  turn: number
  begin(): void
}

export function createTurns(atOnce: number): Turns {
  const waiting: Waiting[] = []
  const latest = new Map<string, number>()
  let round = 0
  let underWay = 0

  const begin = (): void => {
    while (underWay < atOnce) {
      const next = waiting.shift()
      if (!next) return
      underWay += 1
      round = next.turn
      next.begin()
    }
  }

  const end = (): void => {
    underWay -= 1
    begin()
  }

  return {
    wait(name) {
      const turn = Math.max(round, latest.get(name) ?? 0) + 1
      latest.set(name, turn)
      return new Promise(resolve => {
        const beginOwn = (): void => {
          if (latest.get(name) === turn) latest.delete(name)
          resolve(end)
        }
        const place = waiting.findIndex(other => other.turn > turn)
        waiting.splice(place < 0 ? waiting.length : place, 0, { turn, begin: beginOwn })
        begin()
      })
    },
  }
}
