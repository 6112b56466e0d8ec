/** One page of rows that were read with one more than `limit`; `last` is its last row where more follow, else null. */
export function pageOf<Row>(read: readonly Row[], limit: number): { rows: readonly Row[]; last: Row | null } {
  const rows = read.slice(0, limit)
  return { rows, last: read.length > limit ? (rows.at(-1) ?? null) : null }
}
