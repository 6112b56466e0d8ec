import { useNow } from '../lib/clock.ts'
import { formatExact, formatRelative } from '../lib/format.ts'

/** Shows a relative time, with the exact time on hover. */
export function Time({ at, className }: { at: string; className?: string }) {
  const now = useNow()
  return (
    <time dateTime={at} title={formatExact(at)} className={className}>
      {formatRelative(at, now)}
    </time>
  )
}
