import type { Trace, TraceEvent } from '../../../../shared/contract/action/action.ts'
import { formatDuration, formatExact } from '../../lib/format.ts'
import { describeEvent } from '../../lib/trace/describe-event.ts'
import { nameOf, principalsOf } from '../../lib/trace/principal.ts'
import { ClampedText } from '../../ui/clamped-text.tsx'
import { classes } from '../../ui/classes.ts'
import { Digest } from '../../ui/copy-button.tsx'
import { Disclosure } from '../../ui/disclosure.tsx'
import { StatusBadge } from '../../ui/status.tsx'
import { ForeignText } from '../../ui/text.tsx'
import { Time } from '../../ui/time.tsx'
import { ForeignJson } from '../json/foreign-json.tsx'

const dots: Readonly<Record<string, string>> = {
  executed: 'bg-good',
  denied: 'bg-bad',
  execution_failed: 'bg-bad',
  outcome_unknown: 'bg-odd',
  pending_approval: 'bg-warn',
}

export function TraceTimeline({ trace }: { trace: Trace }) {
  const name = principalsOf(trace)
  return (
    <ol className="flex flex-col">
      {trace.events.map((event, place) => (
        <Entry
          key={event.sequence}
          event={event}
          who={nameOf(name(event.principal))}
          before={trace.events[place - 1]}
          last={place === trace.events.length - 1}
        />
      ))}
    </ol>
  )
}

interface EntryProps {
  event: TraceEvent
  who: string
  before: TraceEvent | undefined
  last: boolean
}

function Entry({ event, who, before, last }: EntryProps) {
  const { sequence, at } = event
  const { title, detail, status } = describeEvent(event)
  return (
    <li id={`event-${sequence}`} tabIndex={-1} className="relative scroll-mt-20 rounded pb-5 pl-7 last:pb-0">
      {!last && <span className="absolute top-5 bottom-0 left-[0.4375rem] w-px bg-line" aria-hidden />}
      <span
        aria-hidden
        className={classes(
          'absolute top-1.5 left-0 size-[0.9375rem] rounded-full border-3 border-surface ring-1 ring-line-strong',
          dots[status ?? ''] ?? 'bg-info',
        )}
      />
      <div className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1">
        <p className="font-medium">{title}</p>
        {status && <StatusBadge status={status} />}
      </div>
      <p className="text-sm text-soft">
        <ForeignText text={who} /> · <Time at={at} />
        {waited(before, event)}
      </p>
      {detail && (
        <p className="mt-1 text-sm">
          <ClampedText text={detail} limit={300} />
        </p>
      )}
      <Recorded event={event} />
    </li>
  )
}

function Recorded({ event: { sequence, kind, at, principal, body, leaf_hash } }: { event: TraceEvent }) {
  return (
    <Disclosure label="What was recorded">
      <div className="flex flex-col gap-2 text-sm">
        <p className="text-soft">
          Event {sequence}, {kind}, {formatExact(at)}, by{' '}
          <code className="font-mono text-[0.8125rem]">
            <ForeignText text={principal.id} />
          </code>
        </p>
        {body === null ? (
          <p className="text-soft">The content was erased. Its commitment stays, and so do the proofs.</p>
        ) : (
          <ForeignJson value={body} label={`Content of event ${sequence}`} />
        )}
        <p className="flex flex-wrap items-center gap-x-2 text-soft">
          Leaf <Digest value={leaf_hash} what={`Leaf of event ${sequence}`} short={24} />
        </p>
      </div>
    </Disclosure>
  )
}

/** Returns the time since the previous event, or an empty text if both events have the same time. */
function waited(before: TraceEvent | undefined, { at }: TraceEvent): string {
  const ms = before ? Date.parse(at) - Date.parse(before.at) : 0
  return ms > 0 ? ` · ${formatDuration(ms)} later` : ''
}
