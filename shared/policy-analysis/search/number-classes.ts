import { multiplesBetween } from '../decimal.ts'

/** The greatest magnitude of a number that the strict reader accepts. */
const edge = Number.MAX_SAFE_INTEGER

export interface NumberTests {
  low: number
  high: number
  together: readonly (readonly number[])[]
  avoided: readonly number[]
}

/** Numbers of all classes. `complete` is false if a step beyond the limits may hide a class. */
export interface NumberClasses {
  values: number[]
  complete: boolean
}

/** The number of multiples to try if some multiples must avoid other steps. */
const multiplesTried = 64
/** The most steps to avoid. With at most 8 steps, one of the 64 multiples avoids them all if any multiple does. */
const avoidedMax = 8
/** The smallest step to avoid that is decided, because some tried fraction is no multiple of any larger step. */
const avoidedMin = 1e-9

/**
 * Returns one number per class: each point, and between neighbouring points a short number and multiples of
 * the steps. Fractions are added if steps must be avoided.
 */
export function numberClasses(points: readonly number[], tests: NumberTests): NumberClasses {
  const { avoided } = tests
  const low = Math.max(tests.low, -edge)
  const high = Math.min(tests.high, edge)
  const sorted = [...new Set([low, ...points, high])]
    .filter(point => point >= low && point <= high)
    .sort((left, right) => left - right)
  const found: NumberClasses = {
    values: [],
    complete: avoided.length <= avoidedMax && avoided.every(step => step >= avoidedMin),
  }
  for (let at = sorted.length - 1; at > 0; at -= 1) {
    addBetween(found, [sorted[at - 1] ?? -edge, sorted[at] ?? edge], tests)
  }
  return { ...found, values: [...found.values, ...sorted].map(value => (value === 0 ? 0 : value)) }
}

function addBetween(
  found: NumberClasses,
  [low, high]: readonly [number, number],
  { together, avoided }: NumberTests,
): void {
  const next = nextAbove(low)
  if (next >= high) return
  const plain = readable(low, high)
  for (const steps of together) {
    if (steps.length === 0) continue
    const multiples = multiplesBetween(steps, [low, high], avoided.length > 0 ? multiplesTried : 2)
    plain.push(...multiples.values)
    const enough = avoided.length === 0 && multiples.values.length > 0
    if (!multiples.complete && !enough) found.complete = false
  }
  if (avoided.length > 0 || plain.length === 0) plain.push(...fractions(low, high), next)
  found.values.push(...plain)
}

function readable(low: number, high: number): number[] {
  if (low === -edge) return [high === edge ? 1 : Math.ceil(high) - 1].filter(value => value > low)
  const whole = Math.floor(low) + 1
  return whole < high ? [whole] : shortest(low, high)
}

function shortest(low: number, high: number): number[] {
  for (let digits = 1; digits <= 15; digits += 1) {
    const value = (Math.floor(low * 10 ** digits) + 1) / 10 ** digits
    if (value > low && value < high) return [value]
  }
  return []
}

/** Returns fractions close to zero, where doubles are dense. The last fraction is a multiple of almost no step. */
function fractions(low: number, high: number): number[] {
  const whole = high <= 0 ? Math.ceil(high) - 1 : Math.floor(Math.max(low, 0))
  const tried = [whole + 0.5, whole + 0.25, whole + 1 / 3, low / 2 + high / 2]
  return tried.filter(value => value > low && value < high)
}

const view = new DataView(new ArrayBuffer(8))

function nextAbove(value: number): number {
  if (value === 0) return Number.MIN_VALUE
  view.setFloat64(0, value)
  view.setBigInt64(0, view.getBigInt64(0) + (value > 0 ? 1n : -1n))
  return view.getFloat64(0)
}
