import { decimalOf, scaled } from '../canon/decimal.ts'
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

/**
 * Whether a number is a whole multiple of a step, as the decimals that they are written as: 19.99 is a multiple of 0.01,
 * which division of doubles denies. `spend` is told of the digits before they are written out: up to 340 of them.
 */
export function multipleOf(
  step: number,
  value: number,
  spend: (steps: number) => void = () => undefined,
): boolean {
  if (Number.isSafeInteger(value) && Number.isSafeInteger(step)) return value % step === 0
  const [unit, decimal] = [decimalOf(step), decimalOf(value)]
  const exponent = Math.min(decimal.exponent, unit.exponent)
  spend(stepsPerDivision + Math.max(decimal.exponent, unit.exponent) - exponent)
  return scaled(decimal, exponent) % scaled(unit, exponent) === 0n
}

/** What two decimals and a division take besides the digits, in steps of about 10 ns. */
const stepsPerDivision = 40
