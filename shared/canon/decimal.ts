/** `digits * 10 ** exponent`, exactly as `String` prints a number. */
export interface Decimal {
  digits: bigint
  exponent: number
}

export function decimalOf(value: number): Decimal {
  const [mantissa = '', power = '0'] = String(value).split('e')
  const [whole = '', fraction = ''] = mantissa.split('.')
  return { digits: BigInt(whole + fraction), exponent: Number(power) - fraction.length }
}

/** The digits with a lower exponent: decimals of one exponent are added and divided by theirs. */
export function scaled({ digits, exponent }: Decimal, to: number): bigint {
  return digits * 10n ** BigInt(exponent - to)
}
