/** Work in slices: each `yield` lets the caller run other work, and `next()` continues. */
export type Slices<Value> = Generator<undefined, Value, undefined>

export function inOneGo<Value>(work: Slices<Value>): Value {
  for (;;) {
    const { done, value } = work.next()
    if (done) return value
  }
}
