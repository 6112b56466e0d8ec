import { useState } from 'react'
import { Link } from 'react-router'
import type { OwnedTenant } from '../../../../shared/contract/account.ts'
import { usePages } from '../../lib/query.tsx'
import { useMay } from '../../lib/session/may.ts'
import { useSession } from '../../lib/session/session.ts'
import { ArrowRight, LayoutGrid, Plus } from '../../pictures/icons.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Page } from '../../ui/layout/page.tsx'
import { LoadMore } from '../../ui/load-more.tsx'
import { Empty, Reading } from '../../ui/state.tsx'
import { ForeignText } from '../../ui/text.tsx'
import { Time } from '../../ui/time.tsx'
import { NewApplication } from './new-application.tsx'

export function ApplicationsPage() {
  const [making, setMaking] = useState(false)
  const session = useSession()
  const create = useMay()('create_owned_tenant') && (
    <Button variant="primary" onClick={() => setMaking(true)}>
      <Plus className="size-4" aria-hidden /> New application
    </Button>
  )
  return (
    <Page
      title="Applications"
      lead={
        'profile' in session && (
          <>
            Everything of <ForeignText text={session.profile.organization.name} /> that runs behind the gate.
            Each application has its own policy, keys and history.
          </>
        )
      }
      actions={create}
    >
      <Applications create={create} />
      <NewApplication open={making} onClose={() => setMaking(false)} />
    </Page>
  )
}

function Applications({ create }: { create: React.ReactNode }) {
  const pages = usePages('list_owned_tenants', { query: { limit: '50' } })
  const tenants = pages.data?.pages.flatMap(page => page.tenants)
  return (
    <Card padded={false}>
      <Reading query={{ data: tenants, error: pages.error, refetch: pages.refetch }} rows={4}>
        {rows => (rows.length === 0 ? <NoApplication create={create} /> : <List tenants={rows} />)}
      </Reading>
      <LoadMore pages={pages} what="applications" />
    </Card>
  )
}

function NoApplication({ create }: { create: React.ReactNode }) {
  return (
    <Empty icon={LayoutGrid} title="No application yet">
      {create ? (
        <>
          <p className="mb-4">
            Make one from a template: it comes with a policy, mock systems and a key for your agent.
          </p>
          {create}
        </>
      ) : (
        'You have no role in any application yet. An owner of the organization gives you one.'
      )}
    </Empty>
  )
}

function List({ tenants }: { tenants: readonly OwnedTenant[] }) {
  return (
    <ul className="divide-y divide-line">
      {tenants.map(tenant => (
        <Application key={tenant.tenant_id} {...tenant} />
      ))}
    </ul>
  )
}

function Application({ tenant_id, name, created_at }: OwnedTenant) {
  return (
    <li>
      <Link
        to={`/a/${tenant_id}`}
        className="group flex items-center justify-between gap-4 px-5 py-4 -outline-offset-2 first:rounded-t-xl hover:bg-sunken"
      >
        <span className="min-w-0">
          <span className="block font-medium">
            <ForeignText text={name} />
          </span>
          <span className="block text-sm text-soft">
            <code className="font-mono text-[0.8125rem] break-all">{tenant_id}</code> · created{' '}
            <Time at={created_at} />
          </span>
        </span>
        <ArrowRight className="size-4 shrink-0 text-soft group-hover:text-accent" aria-hidden />
      </Link>
    </li>
  )
}
