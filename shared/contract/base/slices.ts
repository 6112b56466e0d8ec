/** Work that yields now and then, so that its caller can let other work run; it continues with `next()`. */
export type Slices<Value> = Generator<undefined, Value, undefined>

export function inOneGo<Value>(work: Slices<Value>): Value {
  for (;;) {
    const { done, value } = work.next()
    if (done) return value
  }
}
