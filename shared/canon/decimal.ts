/** A number that equals `digits * 10 ** exponent`, exactly as `String` prints the number. */
export interface Decimal {
  digits: bigint
  exponent: number
}

export function decimalOf(value: number): Decimal {
  const [mantissa = '', power = '0'] = String(value).split('e')
  const [whole = '', fraction = ''] = mantissa.split('.')
  return { digits: BigInt(whole + fraction), exponent: Number(power) - fraction.length }
}

/**
 * Rescales the digits to a lower exponent, since two decimals need one exponent before they can be added or
 * divided.
 */
export function scaled({ digits, exponent }: Decimal, to: number): bigint {
  return digits * 10n ** BigInt(exponent - to)
}
