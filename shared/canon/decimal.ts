/** A number that equals `digits * 10 ** exponent`, exactly as `String` prints it. */
export interface Decimal {
  digits: bigint
  exponent: number
}

export function decimalOf(value: number): Decimal {
  const [mantissa = '', power = '0'] = String(value).split('e')
  const [whole = '', fraction = ''] = mantissa.split('.')
  return { digits: BigInt(whole + fraction), exponent: Number(power) - fraction.length }
}

/** Rescales the digits to a lower exponent, since decimals can be added and divided only at a common exponent. */
export function scaled({ digits, exponent }: Decimal, to: number): bigint {
  return digits * 10n ** BigInt(exponent - to)
}
