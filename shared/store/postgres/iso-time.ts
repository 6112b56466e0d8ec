/** SQL for a time as ISO 8601 UTC with milliseconds (specification.md#identifiers-keys-and-time). */
export function isoTime(expression: string): string {
  return `to_char(${expression} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
}
