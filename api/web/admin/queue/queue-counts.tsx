import type { ReactNode } from 'react'
import { Link } from 'react-router'
import type { QueueSample, QueueSnapshot } from '../../../../shared/contract/service-state-schema.ts'
import { counted, formatDuration, formatNumber } from '../../lib/format.ts'
import { classes } from '../../ui/classes.ts'
import { ageMs } from './diagnose.ts'
import { TrendLine } from './trend-line.tsx'

const hourMs = 3_600_000

interface Count {
  label: string
  value: number
  of: Exclude<keyof QueueSample, 'at'>
  note: string
  alarm: boolean
  to?: string
}

export function QueueCounts({
  snapshot,
  samples,
}: {
  snapshot: QueueSnapshot
  samples: readonly QueueSample[]
}) {
  return (
    <ul aria-label="Counts" className="grid grid-cols-2 gap-3 md:grid-cols-3 xl:grid-cols-6">
      {countsOf(snapshot).map(count => (
        <CountCard key={count.label} count={count}>
          <TrendLine
            what={count.label}
            span={hourMs}
            points={samples.map(sample => ({ at: Date.parse(sample.at), value: sample[count.of] }))}
          />
        </CountCard>
      ))}
    </ul>
  )
}

function CountCard({ count, children }: { count: Count; children: ReactNode }) {
  const { label, value, note, alarm, to } = count
  return (
    <li className="relative flex min-w-0 flex-col rounded-xl border border-line bg-surface p-4 shadow-card has-[a:hover]:border-line-strong">
      {to ? (
        <Link to={to} className="text-sm text-soft after:absolute after:inset-0 after:rounded-xl">
          {label}
        </Link>
      ) : (
        <span className="text-sm text-soft">{label}</span>
      )}
      <span className="mt-0.5 text-3xl font-semibold tracking-tight tabular-nums">{shown(value)}</span>
      <span className={classes('mb-3 min-h-10 text-sm', alarm ? 'font-medium text-warn' : 'text-soft')}>
        {note}
      </span>
      <div className="mt-auto">{children}</div>
    </li>
  )
}

function countsOf(snapshot: QueueSnapshot): Count[] {
  const { jobs, approvals, workers } = snapshot
  const alive = workers.filter(worker => worker.alive).length
  return [
    {
      label: 'Due',
      value: jobs.due,
      of: 'due',
      note: dueNote(snapshot),
      alarm: jobs.overdue > 0,
      to: '/jobs?view=due',
    },
    {
      label: 'Executing',
      value: jobs.leased,
      of: 'leased',
      note:
        jobs.lease_expired > 0 ? `${counted(jobs.lease_expired, 'lease')} ran out` : 'Leases held by workers',
      alarm: jobs.lease_expired > 0,
      to: '/jobs?view=leased',
    },
    {
      label: 'Later',
      value: jobs.later,
      of: 'later',
      note: 'Retries that wait',
      alarm: false,
      to: '/jobs?view=later',
    },
    {
      label: 'Unknown',
      value: jobs.unknown + jobs.needs_operator,
      of: 'unknown',
      note:
        jobs.needs_operator > 0 ? `${formatNumber(jobs.needs_operator)} for a person` : 'Outcomes not known',
      alarm: jobs.needs_operator > 0,
      to: jobs.needs_operator > 0 ? '/jobs?view=needs_operator' : '/jobs?view=unknown',
    },
    { label: 'Held', value: approvals.held, of: 'held', note: heldNote(snapshot), alarm: false },
    {
      label: 'Workers alive',
      value: alive,
      of: 'workers',
      note:
        alive === workers.length ? 'All that were seen' : `${counted(workers.length - alive, 'other')} gone`,
      alarm: alive === 0,
    },
  ]
}

function dueNote(snapshot: QueueSnapshot): string {
  const { due, overdue } = snapshot.jobs
  if (due === 0) return 'Nothing waits'
  const oldest = `oldest ${formatDuration(ageMs(snapshot, snapshot.oldest_due_at))}`
  return overdue === 0 ? oldest : `${shown(overdue)} overdue, ${oldest}`
}

function heldNote(snapshot: QueueSnapshot): string {
  const { held, oldest_at } = snapshot.approvals
  return held === 0 ? 'Nobody is asked' : `For people; oldest ${formatDuration(ageMs(snapshot, oldest_at))}`
}

/** The number at which the service stops counting jobs, so that a snapshot of a long queue costs no more. */
const countMax = 100_000

function shown(value: number): string {
  return value >= countMax ? `${formatNumber(countMax)}+` : formatNumber(value)
}
