import { useState } from 'react'
import { useParams, useSearchParams } from 'react-router'
import type { BoundedGrant } from '../../../../shared/contract/configuration/grant-schema.ts'
import { boundsInWords, grantStatusWords } from '../../lib/policy/grant-words.ts'
import { useCall } from '../../lib/query.tsx'
import { useMay } from '../../lib/session/may.ts'
import { Hourglass, Plus } from '../../pictures/icons.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Page } from '../../ui/layout/page.tsx'
import { Empty, Reading } from '../../ui/state.tsx'
import { ForeignText } from '../../ui/text.tsx'
import { Time } from '../../ui/time.tsx'
import { GrantForm } from './grant-form.tsx'
import { GrantFromAction } from './grant-from-action.tsx'
import { RevokeGrant } from './revoke-grant.tsx'

export function GrantsPage() {
  const { tenantId = '' } = useParams()
  const grants = useCall('list_owned_grants', { params: { tenant_id: tenantId } })
  return (
    <Page
      title="Grants"
      lead="A grant allows one agent one operation, within bounds, a few times and until an end. Nobody is asked meanwhile."
    >
      <Reading query={grants} rows={3}>
        {({ grants: known }) => <Grants tenantId={tenantId} grants={known} />}
      </Reading>
    </Page>
  )
}

function Grants({ tenantId, grants }: { tenantId: string; grants: readonly BoundedGrant[] }) {
  const may = useMay()
  const [search, setSearch] = useSearchParams()
  const from = search.get('from')
  const [isOpen, setOpen] = useState(false)
  const [revoking, setRevoking] = useState<BoundedGrant | null>(null)
  const close = (): void => {
    setOpen(false)
    setSearch({}, { replace: true })
  }
  const mayMake = may('make_owned_grant')
  const isMaking = mayMake && (isOpen || from !== null)
  return (
    <Card
      title="Grants"
      hint="Each is proved before it counts: it allows nothing beyond its bounds and nothing that is denied."
      actions={
        mayMake && (
          <Button size="small" onClick={() => setOpen(true)}>
            <Plus className="size-4" aria-hidden /> New grant
          </Button>
        )
      }
    >
      {isMaking && from === null && <GrantForm tenantId={tenantId} start={null} onDone={close} />}
      {isMaking && from !== null && <GrantFromAction tenantId={tenantId} actionId={from} onDone={close} />}
      {grants.length === 0 && !isMaking && (
        <Empty icon={Hourglass} title="No grants">
          People decide whatever the policy holds.
        </Empty>
      )}
      <ul className="flex flex-col divide-y divide-line">
        {grants.map(grant => (
          <GrantRow key={grant.grant_id} grant={grant} onRevoke={() => setRevoking(grant)} />
        ))}
      </ul>
      <RevokeGrant tenantId={tenantId} grant={revoking} onClose={() => setRevoking(null)} />
    </Card>
  )
}

function GrantRow({ grant, onRevoke }: { grant: BoundedGrant; onRevoke(): void }) {
  const { grant_id, operation, system, status, uses, uses_max, ends_at, key_id, note, risk_max } = grant
  const may = useMay()
  const { label, tone } = grantStatusWords[status]
  const isOpen = status === 'active' || status === 'resting'
  return (
    <li className="flex flex-wrap items-start justify-between gap-2 py-3">
      <span className="min-w-0">
        <span className="flex flex-wrap items-center gap-2 font-semibold">
          <ForeignText text={`${operation} on ${system}`} />
          <Badge tone={tone}>{label}</Badge>
        </span>
        <span className="block text-sm break-words">
          <ForeignText text={boundsInWords(grant)} />
        </span>
        <span className="block text-sm text-soft">
          {uses} of {uses_max} uses, risk at most {risk_max}, until <Time at={ends_at} />
        </span>
        <span className="block text-sm break-words text-soft">
          <code className="font-mono text-[0.8125rem]">{key_id}</code>: <ForeignText text={note} />
        </span>
      </span>
      {isOpen && may('revoke_owned_grant') && (
        <Button size="small" variant="danger" onClick={onRevoke} aria-label={`Revoke ${grant_id}`}>
          Revoke…
        </Button>
      )}
    </li>
  )
}
