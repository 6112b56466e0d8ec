import type { JsonValue } from '../../../../shared/contract/base/json.ts'
import type { AdmissionReport, HoleSeverity } from '../../../../shared/contract/configuration/admission.ts'
import { counted, formatNumber } from '../../lib/format.ts'
import { useAct } from '../../lib/query.tsx'
import { ForeignJson } from '../../panels/json/foreign-json.tsx'
import { CircleCheck, CircleX, SearchCheck } from '../../pictures/icons.ts'
import { Badge, type Tone } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { ShowMore, useShown } from '../../ui/show-more.tsx'
import { ProblemNote } from '../../ui/state.tsx'
import { ForeignText } from '../../ui/text.tsx'

type Hole = AdmissionReport['holes'][number]
const step = 50

export function Admission({ tenantId }: { tenantId: string }) {
  const admit = useAct('admit_policy')
  return (
    <Card
      title="Holes"
      hint="Coverage, catalog, schemas, actuators, idempotency and deployment"
      actions={
        <Button
          size="small"
          busy={admit.isPending}
          onClick={() => admit.mutate({ params: { tenant_id: tenantId }, body: {} })}
        >
          <SearchCheck className="size-4" aria-hidden /> {admit.data ? 'Look again' : 'Look for holes'}
        </Button>
      }
    >
      <div aria-live="polite">
        {admit.error && <ProblemNote error={admit.error} />}
        {admit.data ? (
          <Report report={admit.data} />
        ) : (
          <p className="text-soft">Looks at what is in force and changes nothing.</p>
        )}
      </div>
    </Card>
  )
}

function Report({ report: { admitted, counts, holes, holes_omitted } }: { report: AdmissionReport }) {
  const { shown, rest, more } = useShown(holes, step)
  const Icon = admitted ? CircleCheck : CircleX
  return (
    <>
      <p className={admitted ? 'flex gap-2 font-medium text-good' : 'flex gap-2 font-medium text-bad'}>
        <Icon className="mt-0.5 size-5 shrink-0" aria-hidden />
        {admitted ? 'Admitted: no hole is blocking.' : 'Not admitted: at least one hole is blocking.'}
      </p>
      <p className="mt-1 mb-4 text-sm text-soft">
        {formatNumber(counts.blocking)} blocking, {counted(counts.warning, 'warning')},{' '}
        {formatNumber(counts.info)} for information.
      </p>
      <ul className="flex flex-col gap-3">
        {shown.map(hole => (
          <HoleItem
            key={`${hole.code} ${hole.system} ${hole.operation} ${hole.path} ${hole.message}`}
            hole={hole}
          />
        ))}
      </ul>
      <ShowMore rest={rest} what="holes" more={more} />
      {holes_omitted > 0 && (
        <p className="mt-2 text-sm text-soft">
          {formatNumber(holes_omitted)} more were found and are not listed.
        </p>
      )}
    </>
  )
}

const tones: Readonly<Record<HoleSeverity, Tone>> = { blocking: 'bad', warning: 'warn', info: 'info' }

function HoleItem({ hole }: { hole: Hole }) {
  const { code, severity, path, message, fix, witness } = hole
  return (
    <li className="rounded-lg border border-line p-4">
      <p className="flex flex-wrap items-center gap-2">
        <Badge tone={tones[severity]}>{severity}</Badge>
        <code className="font-mono text-[0.8125rem] font-semibold">{code}</code>
        {path && (
          <code className="min-w-0 font-mono text-[0.8125rem] text-soft">
            <ForeignText text={path} />
          </code>
        )}
      </p>
      <p className="mt-2">
        <ForeignText text={message} />
      </p>
      <p className="mt-1 text-sm">
        <span className="font-medium">To close it: </span>
        <ForeignText text={fix} />
      </p>
      {witness && (
        <details className="mt-2">
          <summary className="cursor-pointer rounded text-sm font-medium">
            A proposal that slips through
          </summary>
          <div className="mt-2">
            <ForeignJson value={witness as unknown as JsonValue} label={`Witness of ${code}`} />
          </div>
        </details>
      )}
    </li>
  )
}
