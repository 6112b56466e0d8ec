/** Chances drawn from a seed: the same seed and the same calls give the same answers on every machine. */
export interface Random {
  /** From 0 inclusive to 1 exclusive. */
  fraction(): number
  /** A whole number, both ends included. */
  between(min: number, max: number): number
  pick<Item>(items: readonly [Item, ...Item[]]): Item
  chance(probability: number): boolean
  shuffled<Item>(items: readonly Item[]): Item[]
}

/** `name` makes independent streams of one seed, so that more draws in one do not shift the other. */
export function seededRandom(seed: number, name: string): Random {
  let state = fnv1a(`${seed} ${name}`)
  const fraction = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const between = (min: number, max: number): number => min + Math.floor(fraction() * (max - min + 1))
  return {
    fraction,
    between,
    pick: items => items[between(0, items.length - 1)] ?? items[0],
    chance: probability => fraction() < probability,
    shuffled(items) {
      const drawn = items.map(item => ({ item, place: fraction() }))
      return drawn.sort((one, other) => one.place - other.place).map(({ item }) => item)
    },
  }
}

function fnv1a(text: string): number {
  let hash = 0x811c9dc5
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193)
  return hash
}
