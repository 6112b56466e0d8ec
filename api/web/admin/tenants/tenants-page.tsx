import { useState } from 'react'
import { Link } from 'react-router'
import type { Tenant } from '../../../../shared/contract/configuration/tenant.ts'
import { counted } from '../../lib/format.ts'
import { usePages } from '../../lib/query.tsx'
import { useMay } from '../../lib/session/may.ts'
import { Building2, Plus } from '../../pictures/icons.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Field, TextInput } from '../../ui/field.tsx'
import { Page } from '../../ui/layout/page.tsx'
import { LoadMore } from '../../ui/load-more.tsx'
import { Empty, Reading } from '../../ui/state.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { ForeignText } from '../../ui/text.tsx'
import { Time } from '../../ui/time.tsx'
import { CreateTenant } from './create-tenant.tsx'

export function TenantsPage() {
  const may = useMay()
  const tenants = usePages('list_tenants', { query: { limit: '50' } })
  const [word, setWord] = useState('')
  const [creating, setCreating] = useState(false)
  return (
    <Page
      title="Tenants"
      lead="Every tenant is an application of its own, walled off from the others."
      actions={
        may('create_tenant') && (
          <Button variant="primary" onClick={() => setCreating(true)}>
            <Plus className="size-4" aria-hidden /> Create tenant
          </Button>
        )
      }
    >
      <Card padded={false}>
        <div className="border-b border-line p-4">
          <Field label="Find among those shown" bare>
            <TextInput
              type="search"
              placeholder="Find among those shown"
              className="sm:max-w-80"
              value={word}
              onChange={event => setWord(event.currentTarget.value)}
            />
          </Field>
        </div>
        <Reading query={tenants} rows={8}>
          {({ pages }) => (
            <Found tenants={pages.flatMap(page => page.tenants)} word={word.trim().toLowerCase()} />
          )}
        </Reading>
        <LoadMore pages={tenants} what="tenants" />
      </Card>
      <CreateTenant open={creating} onClose={() => setCreating(false)} />
    </Page>
  )
}

function Found({ tenants, word }: { tenants: readonly Tenant[]; word: string }) {
  const found = tenants.filter(({ tenant_id }) => tenant_id.toLowerCase().includes(word))
  if (tenants.length === 0)
    return (
      <Empty icon={Building2} title="No tenant yet">
        Create one from a template; its first agent key is shown once.
      </Empty>
    )
  return (
    <>
      <p role="status" className="sr-only">
        {word === '' ? '' : counted(found.length, 'tenant')}
      </p>
      {found.length === 0 ? (
        <Empty icon={Building2} title="None of those shown">
          The search looks at what is loaded; there may be more.
        </Empty>
      ) : (
        <Table caption="Tenants" columns={columns} rows={found} keyOf={({ tenant_id }) => tenant_id} />
      )}
    </>
  )
}

const columns: readonly Column<Tenant>[] = [
  {
    title: 'Tenant',
    cell: ({ tenant_id }) => (
      <Link
        to={`/tenants/${tenant_id}`}
        className="rounded font-medium break-all text-accent underline underline-offset-2"
      >
        {tenant_id}
      </Link>
    ),
  },
  {
    title: 'Systems',
    cell: ({ policy: { allowed_systems: systems } }) =>
      systems.length === 0 ? 'None' : <ForeignText text={namesOf(systems)} />,
  },
  { title: 'Policy', cell: ({ policy_revision }) => `Revision ${policy_revision}` },
  { title: 'Created', cell: ({ created_at }) => <Time at={created_at} />, className: 'whitespace-nowrap' },
]

function namesOf(systems: readonly string[]): string {
  const rest = systems.length - 3
  return systems.slice(0, 3).join(', ') + (rest > 0 ? ` and ${rest} more` : '')
}
