/** Returns an array as Postgres reads it from text, so that the driver need not query the types of arrays. */
export function arrayLiteral(values: readonly (string | number | null)[]): string {
  return `{${values.map(element).join(',')}}`
}

function element(value: string | number | null): string {
  if (value === null) return 'NULL'
  if (typeof value === 'number') return String(value)
  return `"${special.test(value) ? value.replaceAll(/[\\"]/g, '\\$&') : value}"`
}

const special = /[\\"]/

/**
 * SQL for the present time, cut to whole milliseconds. A column would round it to the nearest millisecond, up to
 * half a millisecond ahead, so that a query right after would miss a row that is due now.
 */
export const presentMs = "date_trunc('milliseconds', clock_timestamp())"

/** Returns SQL for a time as ISO 8601 UTC with milliseconds (specification.md#identifiers-keys-and-time). */
export function isoTime(expression: string): string {
  return `to_char(${expression} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
}
