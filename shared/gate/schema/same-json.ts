import { isPlainObject, type JsonObject, type JsonValue } from '../../contract/json.ts'

/** Whether two values have the same canonical JSON: 1 is 1.0, -0 is 0, and the order of members does not matter. */
export function sameJson(left: JsonValue, right: JsonValue): boolean {
  if (left === right) return true
  if (Array.isArray(left)) {
    return (
      Array.isArray(right) &&
      left.length === right.length &&
      left.every((item, at) => sameItem(item, right, at))
    )
  }
  return isPlainObject(left) && isPlainObject(right) && haveSameMembers(left, right)
}

function sameItem(item: JsonValue, others: JsonValue[], at: number): boolean {
  return sameJson(item, others[at] as JsonValue)
}

function haveSameMembers(left: JsonObject, right: JsonObject): boolean {
  const names = Object.keys(left)
  return (
    names.length === Object.keys(right).length &&
    names.every(
      name => Object.hasOwn(right, name) && sameJson(left[name] as JsonValue, right[name] as JsonValue),
    )
  )
}
