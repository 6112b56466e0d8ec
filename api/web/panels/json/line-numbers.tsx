import type { PlacedIssue } from '../../lib/policy/read-draft.ts'
import { classes } from '../../ui/classes.ts'

/** The height of a line in pixels. */
export const lineHeight = 21

export function LineNumbers({
  count,
  top,
  height,
  wrong,
  odd,
}: {
  count: number
  /** The scroll position of the editor in pixels. */
  top: number
  height: number
  wrong: readonly PlacedIssue[]
  odd: readonly PlacedIssue[]
}) {
  const first = Math.max(1, Math.floor(top / lineHeight) - 1)
  const last = Math.min(count, first + Math.ceil(height / lineHeight) + 2)
  const bad = new Set(wrong.map(({ line }) => line))
  const warned = new Set(odd.map(({ line }) => line))
  return (
    <div
      aria-hidden
      className="relative shrink-0 overflow-hidden border-r border-line text-soft select-none"
      style={{ width: `${Math.max(2, String(count).length) + 2}ch` }}
    >
      <div
        className="absolute inset-x-0 top-0 text-right leading-[21px]"
        style={{ transform: `translateY(${12 - top + (first - 1) * lineHeight}px)` }}
      >
        {Array.from({ length: last - first + 1 }, (_, place) => first + place).map(line => (
          <div
            key={line}
            className={classes(
              'pr-[1ch]',
              bad.has(line)
                ? 'bg-bad-wash font-semibold text-bad'
                : warned.has(line) && 'bg-warn-wash font-semibold text-warn',
            )}
          >
            {line}
          </div>
        ))}
      </div>
    </div>
  )
}
