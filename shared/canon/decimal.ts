/** A count as audit texts write it: digits only, no leading zero, up to 2^53-1; null for anything else. */
export function parseDecimal(text: string): number | null {
  if (!/^(?:0|[1-9]\d{0,15})$/.test(text)) return null
  const value = Number(text)
  return Number.isSafeInteger(value) ? value : null
}
