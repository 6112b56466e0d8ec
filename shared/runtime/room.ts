/** Limits the bytes in use at once. A smaller limit per holder keeps one holder from using up all bytes. */
export interface Room {
  enter(holder: string, bytes: number): Promise<Place | null>
}

export interface Place {
  shrink(bytes: number): void
  leave(): void
}

export interface RoomOptions {
  bytesMax: number
  /** The limit per holder. A holder that holds no bytes may exceed the limit once. */
  holderBytesMax: number
  waitMsMax: number
  waitingMax: number
}

interface Waiting {
  holder: string
  bytes: number
  resolve(place: Place | null): void
  late: NodeJS.Timeout
}

export function createRoom({ bytesMax, holderBytesMax, waitMsMax, waitingMax }: RoomOptions): Room {
  const held = new Map<string, number>()
  const waiting = new Set<Waiting>()
  let all = 0

  const hold = (holder: string, bytes: number): void => {
    all += bytes
    const left = (held.get(holder) ?? 0) + bytes
    if (left > 0) held.set(holder, left)
    else held.delete(holder)
  }

  const fits = ({ holder, bytes }: Pick<Waiting, 'holder' | 'bytes'>): boolean => {
    const own = held.get(holder) ?? 0
    return (all === 0 || all + bytes <= bytesMax) && (own === 0 || own + bytes <= holderBytesMax)
  }

  /** Admits waiting requests in order, but skips requests whose holder is at its limit. */
  const admitWaiting = (): void => {
    for (const one of waiting) {
      if (all >= bytesMax) return
      if (!fits(one)) continue
      waiting.delete(one)
      clearTimeout(one.late)
      one.resolve(placeOf(one.holder, one.bytes))
    }
  }

  const placeOf = (holder: string, taken: number): Place => {
    let bytes = taken
    hold(holder, bytes)
    const shrink = (to: number): void => {
      if (to >= bytes) return
      hold(holder, to - bytes)
      bytes = to
      admitWaiting()
    }
    return { shrink, leave: () => shrink(0) }
  }

  return {
    enter(holder, bytes) {
      if (fits({ holder, bytes })) return Promise.resolve(placeOf(holder, bytes))
      if (waiting.size >= waitingMax) return Promise.resolve(null)
      return new Promise(resolve => {
        const late = setTimeout(() => {
          waiting.delete(one)
          resolve(null)
        }, waitMsMax)
        const one: Waiting = { holder, bytes, resolve, late }
        waiting.add(one)
      })
    },
  }
}

export interface Holder {
  name: string
  most: number
}

export interface HeldPlaces {
  full(holders: readonly Holder[]): Holder | null
  take(holders: readonly Holder[]): () => void
}

export function createHeldPlaces(): HeldPlaces {
  const held = new Map<string, number>()
  return {
    full: holders => holders.find(({ name, most }) => (held.get(name) ?? 0) >= most) ?? null,
    take(holders) {
      for (const { name } of holders) held.set(name, (held.get(name) ?? 0) + 1)
      let left = false
      return () => {
        if (left) return
        left = true
        for (const { name } of holders) {
          const others = (held.get(name) ?? 0) - 1
          if (others > 0) held.set(name, others)
          else held.delete(name)
        }
      }
    },
  }
}
