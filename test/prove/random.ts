/** A source of choices that is the same for the same seed. */
export interface Chance {
  /** A whole number from 0 to below the limit. */
  below(limit: number): number
  one<Value>(values: readonly Value[]): Value
  maybe(share: number): boolean
  some<Value>(values: readonly Value[], share: number): Value[]
}

/** Mulberry32. */
export function chanceOf(seed: number): Chance {
  let state = seed >>> 0
  const draw = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const below = (limit: number): number => Math.floor(draw() * limit)
  return {
    below,
    one: values => values[below(values.length)] as (typeof values)[number],
    maybe: share => draw() < share,
    some: (values, share) => values.filter(() => draw() < share),
  }
}
