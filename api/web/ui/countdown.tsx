import { useNow } from '../lib/clock.ts'
import { formatCountdown, formatExact } from '../lib/format.ts'
import { Hourglass } from '../pictures/icons.ts'
import { classes } from './classes.ts'

const soonMs = 15 * 60_000

/** Counts down to an expiry. Warns during the last 15 minutes. */
export function Countdown({ at, className }: { at: string; className?: string }) {
  const left = Date.parse(at) - useNow()
  const tone = left <= 0 ? 'text-bad' : left < soonMs ? 'text-warn' : 'text-soft'
  return (
    <span className={classes('inline-flex items-center gap-1 whitespace-nowrap', tone, className)}>
      {left < soonMs && <Hourglass className="size-3.5 shrink-0" aria-hidden />}
      <time dateTime={at} title={formatExact(at)} className="tabular-nums">
        {left <= 0 ? 'time is over' : `${formatCountdown(left)} left`}
      </time>
    </span>
  )
}
