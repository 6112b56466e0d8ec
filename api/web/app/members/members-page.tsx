import { useState } from 'react'
import type { OwnedTenant } from '../../../../shared/contract/account.ts'
import type { Member } from '../../../../shared/contract/member-schema.ts'
import { useCall } from '../../lib/query.tsx'
import { useSession } from '../../lib/session/session.ts'
import { Plus } from '../../pictures/icons.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Page } from '../../ui/layout/page.tsx'
import { Reading } from '../../ui/state.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { ForeignText } from '../../ui/text.tsx'
import { Time } from '../../ui/time.tsx'
import { ChangeMember } from './change-member.tsx'
import { GrantsText } from './grants-text.tsx'
import { GroupsCard } from './groups-card.tsx'
import { InvitationsCard } from './invitations-card.tsx'
import { InviteMember } from './invite-member.tsx'
import { RemoveMember } from './remove-member.tsx'

export function MembersPage() {
  const session = useSession()
  const [inviting, setInviting] = useState(false)
  const members = useCall('list_members')
  const { data } = useCall('list_owned_tenants', { query: { limit: '200' } })
  const tenants = data?.tenants ?? []
  const organization = 'profile' in session ? session.profile.organization : null
  return (
    <Page
      title="Members"
      lead={
        organization && (
          <>
            Who works in <ForeignText text={organization.name} />, and what each may do. Its id is{' '}
            <code className="font-mono text-[0.8125rem] break-all">{organization.organization_id}</code>.
          </>
        )
      }
      actions={
        <Button variant="primary" onClick={() => setInviting(true)}>
          <Plus className="size-4" aria-hidden /> Invite
        </Button>
      }
    >
      <div className="flex flex-col gap-4">
        <Card title="Members" padded={false}>
          <Reading query={{ ...members, data: members.data?.members }} rows={4}>
            {rows => <Members members={rows} tenants={tenants} />}
          </Reading>
        </Card>
        <InvitationsCard tenants={tenants} />
        <GroupsCard members={members.data?.members ?? []} />
      </div>
      <InviteMember tenants={tenants} open={inviting} onClose={() => setInviting(false)} />
    </Page>
  )
}

function Members({ members, tenants }: { members: readonly Member[]; tenants: readonly OwnedTenant[] }) {
  const [changing, setChanging] = useState<Member | null>(null)
  const [removing, setRemoving] = useState<Member | null>(null)
  const session = useSession()
  const own = 'profile' in session ? session.profile.account.account_id : null
  const columns: Column<Member>[] = [
    {
      title: 'Member',
      cell: ({ account: { account_id, email } }) => (
        <>
          <span className="block font-medium break-all">
            <ForeignText text={email} /> {account_id === own && <Badge>You</Badge>}
          </span>
          <code className="block font-mono text-[0.8125rem] break-all text-soft">{account_id}</code>
        </>
      ),
    },
    { title: 'May', cell: member => <GrantsText grants={member} tenants={tenants} /> },
    { title: 'Since', cell: ({ account }) => <Time at={account.created_at} /> },
    {
      title: 'Action',
      cell: member => (
        <span className="flex flex-wrap justify-end gap-2 md:justify-start">
          <Button size="small" onClick={() => setChanging(member)}>
            Roles<span className="sr-only"> of {member.account.email}</span>
          </Button>
          <Button size="small" variant="danger" onClick={() => setRemoving(member)}>
            Remove<span className="sr-only"> {member.account.email}</span>
          </Button>
        </span>
      ),
    },
  ]
  return (
    <>
      <Table caption="Members" columns={columns} rows={members} keyOf={({ account }) => account.account_id} />
      {changing && (
        <ChangeMember
          key={changing.account.account_id}
          member={changing}
          tenants={tenants}
          onClose={() => setChanging(null)}
        />
      )}
      <RemoveMember member={removing} onClose={() => setRemoving(null)} />
    </>
  )
}
