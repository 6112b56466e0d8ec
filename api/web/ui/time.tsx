import { useNow } from '../lib/clock.ts'
import { formatExact, formatRelative } from '../lib/format.ts'

export function Time({ at, className }: { at: string; className?: string }) {
  const now = useNow()
  return (
    <time dateTime={at} title={formatExact(at)} className={className}>
      {formatRelative(at, now)}
    </time>
  )
}
