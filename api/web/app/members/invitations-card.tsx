import { useState } from 'react'
import type { OwnedTenant } from '../../../../shared/contract/account.ts'
import type { Invitation } from '../../../../shared/contract/member-schema.ts'
import { useAct, useCall } from '../../lib/query.tsx'
import { Confirm } from '../../panels/confirm.tsx'
import { Badge, type Tone } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Reading } from '../../ui/state.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { ForeignText } from '../../ui/text.tsx'
import { Time } from '../../ui/time.tsx'
import { GrantsText } from './grants-text.tsx'

const states: Readonly<Record<Invitation['status'], { label: string; tone: Tone }>> = {
  open: { label: 'Open', tone: 'info' },
  accepted: { label: 'Accepted', tone: 'good' },
  revoked: { label: 'Revoked', tone: 'bad' },
  expired: { label: 'Expired', tone: 'warn' },
}

export function InvitationsCard({ tenants }: { tenants: readonly OwnedTenant[] }) {
  const query = useCall('list_invitations')
  const revoke = useAct('revoke_invitation', { stale: ['list_invitations'] })
  const [revoking, setRevoking] = useState<Invitation | null>(null)
  const columns: Column<Invitation>[] = [
    { title: 'For', cell: ({ label }) => <ForeignText text={label} /> },
    { title: 'Will be', cell: invitation => <GrantsText grants={invitation} tenants={tenants} /> },
    { title: 'Ends', cell: ({ expires_at }) => <Time at={expires_at} /> },
    {
      title: 'State',
      cell: ({ status }) => <Badge tone={states[status].tone}>{states[status].label}</Badge>,
    },
    {
      title: 'Action',
      cell: invitation =>
        invitation.status === 'open' ? (
          <Button size="small" variant="danger" onClick={() => setRevoking(invitation)}>
            Revoke<span className="sr-only"> the invitation for {invitation.label}</span>
          </Button>
        ) : (
          <span className="text-soft">None</span>
        ),
    },
  ]
  return (
    <Card title="Invitations" padded={false}>
      <Reading query={{ ...query, data: query.data?.invitations }} rows={2}>
        {rows =>
          rows.length === 0 ? (
            <p className="p-5 text-soft">Nobody is invited.</p>
          ) : (
            <Table
              caption="Invitations"
              columns={columns}
              rows={rows}
              keyOf={({ invitation_id }) => invitation_id}
            />
          )
        }
      </Reading>
      <Confirm
        open={revoking !== null}
        onClose={() => setRevoking(null)}
        act={revoke}
        input={() => ({ params: { invitation_id: revoking?.invitation_id ?? '' } })}
        title="Revoke the invitation?"
        label="Revoke"
        done="The invitation is revoked"
        danger
      >
        <p>Its link makes nobody a member from now on.</p>
      </Confirm>
    </Card>
  )
}
