import { type Decimal, decimalOf, scaled } from '../../../shared/canon/decimal.ts'

/** Returns the exact decimal sum, because floating-point numbers would add 0.1 and 0.2 to 0.30000000000000004. */
export function exactSum(numbers: readonly number[]): string {
  const decimals = numbers.map(decimalOf)
  const exponent = Math.min(0, ...decimals.map(one => one.exponent))
  return written({ digits: decimals.reduce((sum, one) => sum + scaled(one, exponent), 0n), exponent })
}

function written({ digits, exponent }: Decimal): string {
  const scale = -exponent
  const sign = digits < 0n ? '-' : ''
  const text = String(digits < 0n ? -digits : digits).padStart(scale + 1, '0')
  const whole = text.slice(0, text.length - scale).replace(/\B(?=(\d{3})+$)/g, ',')
  const fraction = text.slice(text.length - scale).replace(/0+$/, '')
  return `${sign}${whole}${fraction === '' ? '' : `.${fraction}`}`
}
