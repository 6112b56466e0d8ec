/**
 * Returns a share such as "12 %". Shares near the ends become "below 1 %" or "above 99 %", so that they do not
 * look like none or all.
 */
export function formatShare(part: number, whole: number): string {
  if (part === 0 || whole === 0) return '0 %'
  const percent = (100 * part) / whole
  if (percent < 1) return 'below 1 %'
  return percent > 99 && part < whole ? 'above 99 %' : `${Math.round(percent)} %`
}
