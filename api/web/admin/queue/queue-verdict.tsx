import { Link } from 'react-router'
import {
  CircleCheck,
  type IconComponent,
  Info,
  OctagonAlert,
  TriangleAlert,
  UserRoundSearch,
} from '../../pictures/icons.ts'
import { classes } from '../../ui/classes.ts'
import type { Diagnosis, Finding, FindingCode } from './diagnose.ts'

interface Look {
  icon: IconComponent
  word: string
  box: string
  ink: string
}

const looks: Readonly<Record<Diagnosis['weight'], Look>> = {
  bad: { icon: OctagonAlert, word: 'Stopped', box: 'border-bad/40 bg-bad-wash', ink: 'text-bad' },
  warn: { icon: TriangleAlert, word: 'Attention', box: 'border-warn/40 bg-warn-wash', ink: 'text-warn' },
  person: {
    icon: UserRoundSearch,
    word: 'Needs a person',
    box: 'border-odd/40 bg-odd-wash',
    ink: 'text-odd',
  },
  info: { icon: Info, word: 'Good to know', box: 'border-line bg-surface', ink: 'text-info' },
  good: { icon: CircleCheck, word: 'All well', box: 'border-good/40 bg-good-wash', ink: 'text-good' },
}

const places: Partial<Record<FindingCode, { to: string; label: string }>> = {
  all_stopped: { to: '/jobs?view=stopped', label: 'Jobs that are kept back' },
  some_stopped: { to: '/jobs?view=stopped', label: 'Jobs that are kept back' },
  actions_fail: { to: '/jobs?view=failed', label: 'Failed actions' },
  actuator_hangs: { to: '/jobs?view=leased', label: 'Calls under way' },
  fleet_too_small: { to: '/jobs?view=due', label: 'Due jobs' },
  nothing_taken: { to: '/jobs?view=due', label: 'Due jobs' },
  needs_operator: { to: '/jobs?view=needs_operator', label: 'Open them' },
  looked_up: { to: '/jobs?view=unknown', label: 'See them' },
  retries_wait: { to: '/jobs?view=later', label: 'See them' },
}

export function QueueVerdict({ diagnosis: { weight, headline, findings } }: { diagnosis: Diagnosis }) {
  const { icon: Icon, word, box, ink } = looks[weight]
  return (
    <section aria-label="Verdict" className={classes('rounded-xl border p-5', box)}>
      <div role="status" className={classes('flex items-start gap-3', ink)}>
        <Icon className="mt-1 size-6 shrink-0" aria-hidden />
        <p className="text-xl font-semibold tracking-tight">
          <span className="sr-only">{word}: </span>
          {headline}
        </p>
      </div>
      {findings.length > 0 && (
        <ul className="mt-4 flex flex-col gap-2">
          {findings.map(finding => (
            <FindingItem key={finding.code} finding={finding} headline={headline} />
          ))}
        </ul>
      )}
    </section>
  )
}

function FindingItem({ finding, headline }: { finding: Finding; headline: string }) {
  const { icon: Icon, word, ink } = looks[finding.weight]
  const place = places[finding.code]
  return (
    <li className="flex gap-3 rounded-lg border border-line bg-surface px-4 py-3">
      <Icon className={classes('mt-0.5 size-4.5 shrink-0', ink)} aria-hidden />
      <div className="min-w-0 break-words">
        {finding.title !== headline && (
          <p className="font-medium">
            <span className="sr-only">{word}: </span>
            {finding.title}
          </p>
        )}
        <p className="text-sm text-soft">{finding.why}</p>
        <p className="text-sm">
          <span className="font-medium">What to do: </span>
          {finding.next}{' '}
          {place && (
            <Link
              to={place.to}
              className="font-medium whitespace-nowrap text-accent underline underline-offset-2"
            >
              {place.label}
            </Link>
          )}
        </p>
      </div>
    </li>
  )
}
