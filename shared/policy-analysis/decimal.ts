import { decimalOf, scaled } from '../canon/decimal.ts'
import { multipleOf } from '../json-schema/compare-values.ts'

export interface Multiples {
  values: number[]
  /** False if some multiples were left out because no double represents them exactly. */
  complete: boolean
}

/** The most multiples that are skipped because no double represents them exactly. */
const triesMax = 1_000

/**
 * Returns multiples of all steps that lie strictly between two numbers and that doubles represent exactly. It
 * begins close to zero, because doubles are dense there.
 */
export function multiplesBetween(
  steps: readonly number[],
  [low, high]: readonly [number, number],
  count: number,
): Multiples {
  if (low >= 0) return upwards(steps, [low, high], count)
  if (high <= 0) return mirrored(upwards(steps, [-high, -low], count))
  const [up, down] = [upwards(steps, [0, high], count), mirrored(upwards(steps, [0, -low], count))]
  return { values: [...up.values, 0, ...down.values], complete: up.complete && down.complete }
}

function mirrored({ values, complete }: Multiples): Multiples {
  return { values: values.map(value => -value), complete }
}

function upwards(steps: readonly number[], [from, to]: readonly [number, number], count: number): Multiples {
  const [low, high] = [decimalOf(from), decimalOf(to)]
  const decimals = steps.map(decimalOf)
  const exponent = Math.min(...[low, high, ...decimals].map(each => each.exponent))
  const unit = decimals.map(step => scaled(step, exponent)).reduce(leastCommonMultiple)
  const top = scaled(high, exponent)
  const values: number[] = []
  let left = 0
  let at = (scaled(low, exponent) / unit + 1n) * unit
  for (; at < top && values.length < count && left < triesMax; at += unit) {
    const value = Number(`${at}e${exponent}`)
    if (steps.every(step => multipleOf(step, value))) values.push(value)
    else left += 1
  }
  return { values, complete: left === 0 }
}

function leastCommonMultiple(left: bigint, right: bigint): bigint {
  return (left / greatestCommonDivisor(left, right)) * right
}

function greatestCommonDivisor(left: bigint, right: bigint): bigint {
  return right === 0n ? left : greatestCommonDivisor(right, left % right)
}
