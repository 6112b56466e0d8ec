/** Who holds places of a process, and how many at most. */
export interface Holder {
  /** As it is told to whoever meets the bound. */
  name: string
  most: number
}

/** Counts what each holder has under way in this process. */
export interface HeldPlaces {
  /** The first holder that has as many as it may have, or null. */
  full(holders: readonly Holder[]): Holder | null
  /** One more for each; what is returned takes it back, once. */
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
