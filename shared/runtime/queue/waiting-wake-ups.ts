/** A wake-up. `id` is unique per action and lease token; `delayMs` is 0 for work that is due now. */
export interface Ring {
  id: string
  delayMs: number
  due?: Due
}

export type Due = 'jobs' | 'messages' | 'tests'

export interface WaitingWakeUps {
  isEmpty(): boolean
  /** Adds a wake-up. Returns false if one was dropped because of the limit: this one or the latest. */
  add(ring: Ring): boolean
  take(): Ring[]
}

/** Keeps the `laterMax` delayed wake-ups that are due first. `nowMs` must be a monotonic clock. */
export function createWaitingWakeUps(laterMax: number, nowMs: () => number): WaitingWakeUps {
  /** Holds one wake-up per kind, because all wake-ups of a kind that are due now say the same. */
  const now = new Map<Due, Ring>()
  const later: Later[] = []

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
  at: number
}

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
