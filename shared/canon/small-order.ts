/**
 * Returns true for the 14 encodings of a point whose order divides 8. Callers refuse such public keys, because
 * anybody could sign for them. Verifiers disagree about a signature that begins with such a point.
 */
export function isSmallOrder(encoding: Uint8Array): boolean {
  const y = Buffer.from(encoding)
  y[31] = (encoding[31] ?? 0) & 0x7f
  return smallOrders.has(y.toString('hex'))
}

/**
 * The y-coordinates of the small-order points, including values beyond the field prime. Each y-coordinate occurs
 * with both signs.
 */
const smallOrders: ReadonlySet<string> = new Set([
  '0000000000000000000000000000000000000000000000000000000000000000',
  '0100000000000000000000000000000000000000000000000000000000000000',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
])
