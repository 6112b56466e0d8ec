import { limits } from '../../contract/base/limits.ts'

/**
 * Cuts a page from rows that were read with one more than `limit`; `last` is its last row if more follow,
 * otherwise null.
 */
export function pageOf<Row>(read: readonly Row[], limit: number): { rows: readonly Row[]; last: Row | null } {
  const rows = read.slice(0, limit)
  return { rows, last: read.length > limit ? (rows.at(-1) ?? null) : null }
}

export interface LargeRows<Row> {
  sizes(limit: number): Promise<readonly number[]>
  rows(limit: number): Promise<readonly Row[]>
}

/** Cuts a page of large rows, which ends at `list_bytes_max` bytes but has at least one row. */
export async function pageByBytes<Row>(
  { sizes, rows }: LargeRows<Row>,
  limit: number,
): Promise<{ rows: readonly Row[]; last: Row | null }> {
  const measured = await sizes(limit + 1)
  let bytes = 0
  const fitting = measured.slice(0, limit).findIndex((size, at) => {
    bytes += size
    return at > 0 && bytes > limits.list_bytes_max
  })
  const count = fitting === -1 ? Math.min(limit, measured.length) : fitting
  const read = await rows(count)
  return { rows: read, last: measured.length > count ? (read.at(-1) ?? null) : null }
}
