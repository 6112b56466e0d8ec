/** A value for the title of a test, which has at most 80 characters: beginning and end of what is longer. */
export function short(value: unknown, max = 50): string {
  const text = typeof value === 'string' ? value : String(JSON.stringify(value))
  if (text.length <= max) return text
  const end = Math.floor((max - 1) / 3)
  return `${text.slice(0, max - 1 - end)}…${text.slice(-end)}`
}

/** Rows of a table of tests, each with its first value in front as a title can show it. */
export function titled<Row extends readonly [unknown, ...unknown[]]>(
  rows: readonly Row[],
  max?: number,
): [string, ...Row][] {
  return rows.map(row => [short(row[0], max), ...row])
}
