/** Formats a part of a whole as "12 %"; a small part becomes "below 1 %", so that it does not look like zero. */
export function formatShare(part: number, whole: number): string {
  if (part === 0 || whole === 0) return '0 %'
  const percent = (100 * part) / whole
  if (percent < 1) return 'below 1 %'
  return percent > 99 && part < whole ? 'above 99 %' : `${Math.round(percent)} %`
}
