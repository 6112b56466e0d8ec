import { isPlainObject, type JsonObject, type JsonValue } from '../../contract/base/json.ts'

const triesMax = 200

/** Removes members and rounds numbers as long as the parameters remain a witness, in at most 200 tries. */
export function shrink(parameters: JsonObject, isWitness: (parameters: JsonObject) => boolean): JsonObject {
  let current = parameters
  let simpler = simplerObjects(current)
  for (let tries = 0; tries < triesMax; tries += 1) {
    const { value, done } = simpler.next()
    if (done) return current
    if (!isWitness(value)) continue
    current = value
    simpler = simplerObjects(current)
  }
  return current
}

function* simplerThan(value: JsonValue): Generator<JsonValue> {
  if (Array.isArray(value)) {
    if (value.length > 0) yield value.slice(0, -1)
    for (const [index, item] of value.entries()) {
      for (const simpler of simplerThan(item)) yield value.with(index, simpler)
    }
  } else if (isPlainObject(value)) yield* simplerObjects(value)
  else if (typeof value === 'number' && !Number.isInteger(value)) yield* [Math.floor(value), Math.ceil(value)]
}

function* simplerObjects(object: JsonObject): Generator<JsonObject, undefined> {
  for (const name of Object.keys(object)) {
    const { [name]: _, ...rest } = object
    yield rest
  }
  for (const [name, member] of Object.entries(object)) {
    for (const simpler of simplerThan(member)) yield { ...object, [name]: simpler }
  }
}
