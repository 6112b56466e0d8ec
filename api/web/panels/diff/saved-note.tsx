import { useEffect, useRef } from 'react'
import type { Regression } from '../../../../shared/contract/action/verdict.ts'
import type { Issue } from '../../../../shared/contract/base/errors.ts'
import { counted } from '../../lib/format.ts'
import { CircleCheck, ShieldAlert, TriangleAlert, X } from '../../pictures/icons.ts'
import { Disclosure } from '../../ui/disclosure.tsx'
import { ForeignText } from '../../ui/text.tsx'
import { ForeignJson } from '../json/foreign-json.tsx'

const shownMax = 20

export function SavedNote({
  saved: { revision, warnings, regressions },
  what,
  onClose,
}: {
  saved: { revision: number; warnings: readonly Issue[]; regressions: readonly Regression[] }
  what: string
  onClose(): void
}) {
  const note = useRef<HTMLDivElement>(null)
  // Focuses the note, because the save button that had the focus has disappeared.
  useEffect(() => note.current?.focus(), [])
  return (
    <div
      ref={note}
      role="status"
      tabIndex={-1}
      className="flex scroll-mt-20 outline-none flex-col gap-3 rounded-xl border border-line bg-surface p-4 shadow-card"
    >
      <div className="flex items-start gap-3">
        <CircleCheck className="mt-0.5 size-5 shrink-0 text-good" aria-hidden />
        <p className="min-w-0 flex-1">
          <strong className="font-semibold">Revision {revision} is in force.</strong> The {what} governs every
          proposal from now on; what was decided before stays as it was.
        </p>
        <button
          type="button"
          aria-label="Dismiss"
          onClick={onClose}
          className="-mt-1 -mr-1 rounded-md p-1.5 text-soft hover:bg-sunken hover:text-ink"
        >
          <X className="size-4" aria-hidden />
        </button>
      </div>
      {regressions.length > 0 && <Regressions regressions={regressions} />}
      {warnings.length > 0 && <Warnings warnings={warnings} />}
    </div>
  )
}

function Regressions({ regressions }: { regressions: readonly Regression[] }) {
  return (
    <div className="flex items-start gap-3 rounded-lg border border-bad/30 bg-bad-wash px-4 py-3">
      <ShieldAlert className="mt-0.5 size-5 shrink-0 text-bad" aria-hidden />
      <div className="min-w-0 flex-1">
        <p className="font-medium text-bad">
          {counted(
            regressions.length,
            'outcome that was proved before holds',
            'outcomes that were proved before hold',
          )}{' '}
          no longer
        </p>
        <ul className="mt-2 flex flex-col gap-2 text-sm">
          {regressions.slice(0, shownMax).map(regression => (
            <li key={`${regression.report_id} ${regression.name}`}>
              <RegressionRow regression={regression} />
            </li>
          ))}
        </ul>
        <More count={regressions.length} />
      </div>
    </div>
  )
}

function RegressionRow({ regression: { name, expected, result, why, witness } }: { regression: Regression }) {
  return (
    <>
      <p>
        <strong className="font-medium">
          <ForeignText text={name} />
        </strong>
        : was to be {expected}, is {result === 'inconclusive' ? 'not known to be' : result} now
        {why && (
          <>
            {' '}
            (<ForeignText text={why} />)
          </>
        )}
        .
      </p>
      {witness && (
        <Disclosure label="A proposal that shows it">
          <ForeignJson value={witness} label={`Witness of ${name}`} />
        </Disclosure>
      )}
    </>
  )
}

function Warnings({ warnings }: { warnings: readonly Issue[] }) {
  return (
    <div className="flex items-start gap-3 rounded-lg border border-warn/30 bg-warn-wash px-4 py-3 text-warn">
      <TriangleAlert className="mt-0.5 size-5 shrink-0" aria-hidden />
      <div className="min-w-0 flex-1">
        <p className="font-medium">Valid, but odd: {counted(warnings.length, 'warning')}</p>
        <ul className="mt-1 list-disc pl-5 text-sm">
          {warnings.slice(0, shownMax).map(({ path, code, message }) => (
            <li key={`${path} ${code}`}>
              <code className="font-mono text-xs">
                <ForeignText text={path} />
              </code>
              : <ForeignText text={message} />
            </li>
          ))}
        </ul>
        <More count={warnings.length} />
      </div>
    </div>
  )
}

function More({ count }: { count: number }) {
  if (count <= shownMax) return null
  return <p className="mt-1 text-sm">{counted(count - shownMax, 'more', 'more')} not shown</p>
}
