import { isPlainObject, type JsonObject, type JsonValue } from '../contract/base/json.ts'

/**
 * Whether two values have the same canonical JSON: 1 is 1.0, -0 is 0, and the order of members does not matter. `spend` is
 * told of what is looked at, before.
 */
export function sameJson(left: JsonValue, right: JsonValue, spend: Spend = () => undefined): boolean {
  spend(typeof left === 'string' ? 1 + left.length / charactersPerStep : 1)
  if (left === right) return true
  if (Array.isArray(left)) {
    return (
      Array.isArray(right) &&
      left.length === right.length &&
      left.every((item, at) => sameJson(item, right[at] as JsonValue, spend))
    )
  }
  return isPlainObject(left) && isPlainObject(right) && haveSameMembers(left, right, spend)
}

type Spend = (steps: number) => void

/** Texts are compared many characters at a time. */
const charactersPerStep = 64
/** To list a name of an object, and to look it up in another. */
const stepsPerName = 10

function haveSameMembers(left: JsonObject, right: JsonObject, spend: Spend): boolean {
  const [names, others] = [Object.keys(left), Object.keys(right)]
  spend((names.length + others.length) * stepsPerName)
  return (
    names.length === others.length &&
    names.every(
      name =>
        Object.hasOwn(right, name) && sameJson(left[name] as JsonValue, right[name] as JsonValue, spend),
    )
  )
}
