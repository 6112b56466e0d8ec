/** A map that drops its oldest entries when the sum of all weights exceeds the limit. */
export interface BoundedMap<Value> {
  get(name: string): Value | undefined
  put(name: string, value: Value, weight?: number): void
  forget(name: string): void
}

export function createBoundedMap<Value>(weightMax: number): BoundedMap<Value> {
  const values = new Map<string, { value: Value; weight: number }>()
  let all = 0
  const forget = (name: string): void => {
    all -= values.get(name)?.weight ?? 0
    values.delete(name)
  }
  return {
    get: name => values.get(name)?.value,
    put(name, value, weight = 1) {
      all += weight - (values.get(name)?.weight ?? 0)
      values.set(name, { value, weight })
      for (const oldest of values.keys()) {
        if (all <= weightMax) break
        if (oldest !== name) forget(oldest)
      }
    },
    forget,
  }
}
