import { decimalOf, scaled } from '../canon/decimal.ts'
import { isPlainObject, type JsonObject, type JsonValue } from '../contract/base/json.ts'

/**
 * Returns true if two values have the same canonical JSON: 1 equals 1.0, -0 equals 0, and the order of
 * members is ignored. `spend` is called before each comparison, so that a budget can stop the work in time.
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

const charactersPerStep = 64
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
 * Returns true if a number is a multiple of a step in decimal arithmetic. So 19.99 is a multiple of 0.01,
 * although dividing the two doubles denies this. `spend` is called before up to 340 digits are written out.
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

/** Steps of about 10 ns to convert two decimals and divide, besides those for the digits. */
const stepsPerDivision = 40
