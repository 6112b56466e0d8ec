import type { Numbers } from '../../../../shared/contract/action/numbers-schema.ts'
import { formatDuration, formatNumber } from '../../lib/format.ts'
import { formatShare } from '../../lib/share.ts'

export function NumbersFacts({ numbers }: { numbers: Numbers }) {
  const { decisions, held, denied, failed, unknown, executed, time_to_decision: times } = numbers
  const ended = executed + failed + unknown
  const facts = [
    ['Decisions', formatNumber(decisions), 'verdicts of the gate'],
    ['Held', formatNumber(held), `${formatShare(held, decisions)} of decisions`],
    ['Denied', formatNumber(denied), `${formatShare(denied, decisions)} of decisions`],
    [
      'Time to decision',
      times ? formatDuration(times.p50_ms) : 'none',
      times ? `half within; 95 % within ${formatDuration(times.p95_ms)}` : 'nobody decided',
    ],
    ['Failed', formatNumber(failed), `${formatShare(failed, ended)} of executions`],
    ['Outcome unknown', formatNumber(unknown), `${formatShare(unknown, ended)} of executions`],
  ] as const
  return (
    <dl className="grid grid-cols-2 gap-px border-b border-line bg-line md:grid-cols-3">
      {facts.map(([name, value, more]) => (
        <div key={name} className="bg-surface px-5 py-3.5">
          <dt className="text-sm text-soft">{name}</dt>
          <dd className="text-xl font-semibold tabular-nums">{value}</dd>
          <dd className="text-sm text-soft">{more}</dd>
        </div>
      ))}
    </dl>
  )
}
