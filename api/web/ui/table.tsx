import type { ReactNode } from 'react'
import { classes } from './classes.ts'

export interface Column<Row> {
  title: string
  cell(row: Row): ReactNode
  className?: string
}

export function Table<Row>({
  caption,
  columns,
  rows,
  keyOf,
}: {
  caption: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  keyOf(row: Row): string
}) {
  return (
    <table className="w-full text-left">
      <caption className="sr-only">{caption}</caption>
      <thead className="hidden border-b border-line text-sm text-soft md:table-header-group">
        <tr>
          {columns.map(({ title }) => (
            <th key={title} scope="col" className="px-5 py-2.5 font-medium">
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody className="divide-y divide-line">
        {rows.map(row => (
          <tr key={keyOf(row)} className="block px-5 py-3 md:table-row md:p-0">
            {columns.map(({ title, cell, className }) => (
              <td
                key={title}
                className={classes(
                  'flex justify-between gap-4 py-1 md:table-cell md:px-5 md:py-3',
                  className,
                )}
              >
                <span className="shrink-0 text-sm text-soft md:hidden" aria-hidden>
                  {title}
                </span>
                <span className="min-w-0 text-right md:text-left">{cell(row)}</span>
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
