/** Values by name, as many as fit: of more, those that were put in first are forgotten. */
export interface Recent<Value> {
  get(name: string): Value | undefined
  put(name: string, value: Value): void
  forget(name: string): void
}

export function createRecent<Value>(sizeMax: number): Recent<Value> {
  const values = new Map<string, Value>()
  return {
    get: name => values.get(name),
    put(name, value) {
      values.set(name, value)
      const oldest = values.keys().next()
      if (values.size > sizeMax && !oldest.done) values.delete(oldest.value)
    },
    forget: name => {
      values.delete(name)
    },
  }
}
