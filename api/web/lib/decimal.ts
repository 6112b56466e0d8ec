/** A number as JSON writes it, exactly: `digits` with the point `scale` places from the end. */
interface Decimal {
  digits: bigint
  scale: number
}

/** The sum of numbers as they are written, without the error of binary fractions: 0.1 and 0.2 are 0.3. */
export function exactSum(numbers: readonly number[]): string {
  const decimals = numbers.map(decimalOf)
  const scale = Math.max(0, ...decimals.map(one => one.scale))
  const digits = decimals.reduce((sum, one) => sum + one.digits * 10n ** BigInt(scale - one.scale), 0n)
  return written({ digits, scale })
}

function decimalOf(value: number): Decimal {
  const [mantissa = '', exponent = '0'] = String(value).split('e')
  const [whole = '', fraction = ''] = mantissa.split('.')
  const scale = fraction.length - Number(exponent)
  const digits = BigInt(`${whole}${fraction}`)
  return scale < 0 ? { digits: digits * 10n ** BigInt(-scale), scale: 0 } : { digits, scale }
}

function written({ digits, scale }: Decimal): string {
  const sign = digits < 0n ? '-' : ''
  const text = String(digits < 0n ? -digits : digits).padStart(scale + 1, '0')
  const whole = text.slice(0, text.length - scale).replace(/\B(?=(\d{3})+$)/g, ',')
  const fraction = text.slice(text.length - scale).replace(/0+$/, '')
  return `${sign}${whole}${fraction === '' ? '' : `.${fraction}`}`
}
