import { useState } from 'react'
import type { FreezeEffect, FreezeState } from '../../../../shared/contract/configuration/freeze-schema.ts'
import { useCall } from '../../lib/query.tsx'
import { useMay } from '../../lib/session/may.ts'
import { AuthorName } from '../../panels/trace/author.tsx'
import { CircleCheck, PauseCircle, Snowflake } from '../../pictures/icons.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Reading } from '../../ui/state.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { CellText } from '../parts/cell-text.tsx'
import { LiftDialog } from '../queue/lift-dialog.tsx'
import { StopDialog } from '../queue/stop-dialog.tsx'
import { StopBadge, scopeText } from '../queue/stop-words.tsx'

type Freeze = FreezeState['freezes'][number]

const everyMs = 5_000

export function TenantStops({ tenantId }: { tenantId: string }) {
  const freezes = useCall('read_freezes', { params: { tenant_id: tenantId } }, { every: everyMs })
  const may = useMay()
  const [stopping, setStopping] = useState<FreezeEffect | null>(null)
  const [lifting, setLifting] = useState<Freeze | null>(null)
  return (
    <div className="flex flex-col gap-6">
      {may('freeze') && <Brakes onStop={setStopping} />}
      <Card title="In force" hint="Oldest first" padded={false}>
        <Reading query={freezes} rows={3}>
          {({ freezes: found }) =>
            found.length === 0 ? (
              <p className="flex items-center gap-2 p-5 text-soft">
                <CircleCheck className="size-5 text-good" aria-hidden /> Nothing is frozen or paused.
              </p>
            ) : (
              <Table
                caption="Freezes and pauses in force"
                columns={columns(may('unfreeze') ? setLifting : null)}
                rows={found}
                keyOf={stop => `${stop.effect} ${scopeText(stop)} ${stop.created_at}`}
              />
            )
          }
        </Reading>
      </Card>
      <StopDialog tenantId={tenantId} effect={stopping} onClose={() => setStopping(null)} />
      <LiftDialog tenantId={tenantId} freeze={lifting} onClose={() => setLifting(null)} />
    </div>
  )
}

function Brakes({ onStop }: { onStop(effect: FreezeEffect): void }) {
  return (
    <div className="grid gap-4 md:grid-cols-2">
      <Card title="Freeze">
        <p className="mb-4 text-soft">
          For when something is going wrong: new proposals that match are denied, approvals refused, queued
          jobs wait.
        </p>
        <Button variant="danger" onClick={() => onStop('freeze')}>
          <Snowflake className="size-4" aria-hidden /> Freeze…
        </Button>
      </Card>
      <Card title="Pause">
        <p className="mb-4 text-soft">
          For maintenance: decisions and approvals go on, and only the jobs wait until you resume.
        </p>
        <Button onClick={() => onStop('pause')}>
          <PauseCircle className="size-4" aria-hidden /> Pause…
        </Button>
      </Card>
    </div>
  )
}

function columns(onLift: ((stop: Freeze) => void) | null): Column<Freeze>[] {
  return [
    { title: 'What', cell: stop => <StopBadge effect={stop.effect} /> },
    { title: 'Of', cell: stop => scopeText(stop) },
    { title: 'Reason', cell: stop => <CellText text={stop.reason} /> },
    { title: 'By', cell: stop => <AuthorName author={stop.author} /> },
    { title: 'Since', cell: stop => <Time at={stop.created_at} />, className: 'whitespace-nowrap' },
    ...(onLift ? [liftColumn(onLift)] : []),
  ]
}

function liftColumn(onLift: (stop: Freeze) => void): Column<Freeze> {
  return {
    title: 'Do',
    className: 'md:text-right',
    cell: stop => (
      <Button size="small" onClick={() => onLift(stop)}>
        {stop.effect === 'freeze' ? 'Unfreeze' : 'Resume'}
        <span className="sr-only"> {scopeText(stop)}</span>
      </Button>
    ),
  }
}
