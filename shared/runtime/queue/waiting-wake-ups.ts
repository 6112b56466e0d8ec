/** A wake-up: `id` is unique per action and lease token; `delayMs` for work that is due later. */
export interface Ring {
  id: string
  delayMs: number
  /** What is due; jobs unless it says otherwise. */
  due?: Due
}

/** Jobs of actions, messages to endpoints, or test calls. */
export type Due = 'jobs' | 'messages' | 'tests'

/** Rings that wait to be sent: never more than one due now of each kind, and a bounded number that are due later. */
export interface WaitingWakeUps {
  isEmpty(): boolean
  /** Keep a ring; false where one that is due later was lost for it, or it itself. */
  add(ring: Ring): boolean
  /** All of them, with the delay that is left. */
  take(): Ring[]
}

/** Of rings that are due later the `laterMax` soonest are kept; `nowMs` is a clock that never goes back. */
export function createWaitingWakeUps(laterMax: number, nowMs: () => number): WaitingWakeUps {
  /** Due-now rings say the same thing: of those that wait together one is enough. */
  const now = new Map<Due, Ring>()
  /** The soonest first. */
  const later: Later[] = []

  /** What has become due while it waited is due now. */
  const ripen = (ms: number): void => {
    for (const { ring } of later.splice(0, placeAfter(later, ms))) keepNow(ring)
  }
  const keepNow = (ring: Ring): void => {
    now.set(ring.due ?? 'jobs', { ...ring, delayMs: 0 })
  }

  return {
    isEmpty: () => now.size === 0 && later.length === 0,
    add(ring) {
      if (ring.delayMs <= 0) {
        keepNow(ring)
        return true
      }
      const ms = nowMs()
      if (later.length >= laterMax) ripen(ms)
      const at = ms + ring.delayMs
      later.splice(placeAfter(later, at), 0, { ring, at })
      if (later.length <= laterMax) return true
      later.pop()
      return false
    },
    take() {
      const ms = nowMs()
      ripen(ms)
      const delayed = later.splice(0).map(({ ring, at }) => ({ ...ring, delayMs: Math.ceil(at - ms) }))
      const rings = [...now.values(), ...delayed]
      now.clear()
      return rings
    },
  }
}

interface Later {
  ring: Ring
  /** When it is due, by the clock. */
  at: number
}

/** How many of them are due at that time or before. */
function placeAfter(later: readonly Later[], at: number): number {
  let low = 0
  let high = later.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((later[middle]?.at ?? 0) <= at) low = middle + 1
    else high = middle
  }
  return low
}
