import type { ReactNode } from 'react'
import type { BoundReport } from '../../../../shared/contract/configuration/verification-schema.ts'
import { counted, formatNumber } from '../../lib/format.ts'
import { AuthorName } from '../../panels/trace/author.tsx'
import { ChevronRight, PenLine, PenOff } from '../../pictures/icons.ts'
import { Badge } from '../../ui/badge.tsx'
import { Facts } from '../../ui/card.tsx'
import { Digest } from '../../ui/copy-button.tsx'
import { Time } from '../../ui/time.tsx'
import { ReportOutcome } from './report-outcome.tsx'
import { bindingWords, ResultBadge } from './report-words.tsx'

export function ReportItem({ report, open }: { report: BoundReport; open: boolean }) {
  const { result, live, live_policy_binding: binding, signature, outcomes, created_at } = report
  return (
    <li>
      <details open={open} className="group">
        <summary className="flex cursor-pointer list-none flex-wrap items-center gap-2 px-5 py-3.5 -outline-offset-2 hover:bg-sunken">
          <ChevronRight className="size-4 text-soft transition-transform group-open:rotate-90" aria-hidden />
          <ResultBadge result={result} />
          <Badge tone={live ? 'good' : 'plain'}>{bindingWords[binding.status]}</Badge>
          <Badge tone={signature ? 'info' : 'plain'}>
            {signature ? (
              <PenLine className="size-3.5" aria-hidden />
            ) : (
              <PenOff className="size-3.5" aria-hidden />
            )}
            {signature ? 'Signed' : 'Not signed'}
          </Badge>
          <span className="text-sm text-soft">{counted(outcomes.length, 'outcome')}</span>
          <Time at={created_at} className="ml-auto text-sm text-soft" />
        </summary>
        <div className="flex flex-col gap-5 px-5 pt-1 pb-5">
          {outcomes.length > 0 && (
            <ul className="flex flex-col gap-3">
              {outcomes.map(outcome => (
                <ReportOutcome key={outcome.name} outcome={outcome} />
              ))}
            </ul>
          )}
          <Findings report={report} />
          <About report={report} />
        </div>
      </details>
    </li>
  )
}

function Findings({ report: { warnings, assumptions } }: { report: BoundReport }) {
  return (
    <>
      {warnings.length > 0 && (
        <Listed title="Findings">
          {warnings.map(({ path, code, message }) => (
            <li key={`${path} ${code}`} className="break-words">
              <code className="font-mono text-[0.8125rem]">{path}</code> {message}{' '}
              <span className="text-soft">({code})</span>
            </li>
          ))}
        </Listed>
      )}
      {assumptions.length > 0 && (
        <details>
          <summary className="cursor-pointer rounded text-sm font-medium">
            What the proof takes for granted ({assumptions.length})
          </summary>
          <ul className="mt-2 list-disc pl-5 text-sm text-soft">
            {assumptions.map(text => (
              <li key={text}>{text}</li>
            ))}
          </ul>
        </details>
      )}
    </>
  )
}

function Listed({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div>
      <h3 className="mb-1 text-sm font-semibold">{title}</h3>
      <ul className="list-disc pl-5 text-sm">{children}</ul>
    </div>
  )
}

function About({ report }: { report: BoundReport }) {
  const { subject, explored, bounds, author, engine } = report
  const of = (revision: number | null, hash: string | null): string =>
    revision !== null ? `revision ${revision}` : hash === null ? 'none' : 'draft'
  return (
    <Facts
      facts={[
        [
          'About',
          `Policy ${of(subject.policy_revision, subject.policy_hash)}, catalog ${of(subject.catalog_revision, subject.catalog_hash)}, ${subject.mode} mode`,
        ],
        ['Asked by', <AuthorName key="author" author={author} />],
        [
          'Explored',
          `${counted(explored.operations, 'operation')}, ${counted(explored.classes, 'class', 'classes')} of proposals, ${counted(explored.replays, 'replay')} through the gate`,
        ],
        ...(bounds.hit
          ? [
              [
                'Bound that was hit',
                `${bounds.hit.bound}: ${formatNumber(bounds.hit.limit)} at ${bounds.hit.at}`,
              ] as const,
            ]
          : []),
        ['Prover', `${engine.name} ${engine.version}`],
        ['Report', <Digest key="id" value={report.report_id} what="Report id" short={40} />],
        ['Hash', <Digest key="hash" value={report.report_hash} what="Report hash" />],
      ]}
    />
  )
}
