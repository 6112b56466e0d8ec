/** Work that stops now and then so that its caller can let others have a turn; it goes on with `next()`. */
export type Slices<Value> = Generator<undefined, Value, undefined>

/** Does the work in one go. */
export function inOneGo<Value>(work: Slices<Value>): Value {
  for (;;) {
    const { done, value } = work.next()
    if (done) return value
  }
}
