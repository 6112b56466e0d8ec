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

/** `digits * 10 ** exponent`, exactly as `String` prints the number. */
interface Decimal {
  digits: bigint
  exponent: number
}

function decimalOf(value: number): Decimal {
  const [mantissa = '', power = '0'] = String(value).split('e')
  const [whole = '', fraction = ''] = mantissa.split('.')
  return { digits: BigInt(whole + fraction), exponent: Number(power) - fraction.length }
}

function scaled({ digits, exponent }: Decimal, to: number): bigint {
  return digits * 10n ** BigInt(exponent - to)
}
