import { useState } from 'react'
import { Link, useParams } from 'react-router'
import type { Group, Route } from '../../../../shared/contract/configuration/route-schema.ts'
import { useAct, useCall } from '../../lib/query.tsx'
import { Plus, Users } from '../../pictures/icons.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Page } from '../../ui/layout/page.tsx'
import { Empty, ProblemNote, Reading } from '../../ui/state.tsx'
import { GroupForm } from './group-form.tsx'
import { RouteForm } from './route-form.tsx'
import { SlackCard } from './slack-card.tsx'

export function RoutesPage() {
  const { tenantId = '' } = useParams()
  const groups = useCall('list_owned_review_groups', { params: { tenant_id: tenantId } })
  const routes = useCall('list_owned_routes', { params: { tenant_id: tenantId } })
  return (
    <Page
      title="Routes and groups"
      lead="Where the policy’s “who decides” is the name of a route, only the people of its groups approve and reject."
    >
      <div className="flex flex-col gap-6">
        <Reading query={groups} rows={3}>
          {({ groups: known }) => <Groups tenantId={tenantId} groups={known} />}
        </Reading>
        <Reading query={routes} rows={3}>
          {({ routes: known }) => (
            <Routes tenantId={tenantId} routes={known} groups={groups.data?.groups ?? []} />
          )}
        </Reading>
        <SlackCard tenantId={tenantId} />
      </div>
    </Page>
  )
}

function Groups({ tenantId, groups }: { tenantId: string; groups: readonly Group[] }) {
  const [edited, setEdited] = useState<Group | 'new' | null>(null)
  const remove = useAct('delete_owned_review_group', { stale: ['list_owned_review_groups'] })
  return (
    <Card
      title="Groups"
      hint="People count when they decide, also about what is held already."
      actions={<New what="group" onNew={() => setEdited('new')} />}
    >
      {groups.length === 0 && edited === null && (
        <Empty icon={Users} title="No groups">
          Any approver decides.
        </Empty>
      )}
      <ul className="flex flex-col divide-y divide-line">
        {groups.map(group => (
          <Row
            key={group.name}
            name={group.name}
            text={group.members.map(({ name }) => name).join(', ')}
            warning={group.members.length === 0 ? 'Nobody: what needs this group cannot be approved.' : null}
            {...(group.of_organization
              ? {}
              : {
                  onEdit: () => setEdited(group),
                  onDelete: () => remove.mutate({ params: { tenant_id: tenantId, name: group.name } }),
                })}
          />
        ))}
      </ul>
      {remove.error && <ProblemNote error={remove.error} />}
      {edited !== null && (
        <GroupForm
          key={edited === 'new' ? '' : edited.name}
          tenantId={tenantId}
          group={edited === 'new' ? null : edited}
          onDone={() => setEdited(null)}
        />
      )}
    </Card>
  )
}

function Routes({
  tenantId,
  routes,
  groups,
}: {
  tenantId: string
  routes: readonly Route[]
  groups: readonly Group[]
}) {
  const [edited, setEdited] = useState<Route | 'new' | null>(null)
  const remove = useAct('delete_owned_route', { stale: ['list_owned_routes'] })
  return (
    <Card
      title="Routes"
      hint="A change counts for later proposals. What is held keeps the route that it was held with."
      actions={groups.length > 0 && <New what="route" onNew={() => setEdited('new')} />}
    >
      {groups.length === 0 && <p className="text-soft">Make a group first.</p>}
      <ul className="flex flex-col divide-y divide-line">
        {routes.map(route => (
          <Row
            key={route.name}
            name={route.name}
            text={routeText(route)}
            warning={emptyWords(route.groups_without_members)}
            onEdit={() => setEdited(route)}
            onDelete={() => remove.mutate({ params: { tenant_id: tenantId, name: route.name } })}
          />
        ))}
      </ul>
      {remove.error && <ProblemNote error={remove.error} />}
      {edited !== null && (
        <RouteForm
          key={edited === 'new' ? '' : edited.name}
          tenantId={tenantId}
          route={edited === 'new' ? null : edited}
          groups={groups}
          onDone={() => setEdited(null)}
        />
      )}
    </Card>
  )
}

function routeText({ required, issuer }: Route): string {
  const people = required.map(({ group, approvals }) => `${approvals} of ${group}`).join(', ')
  return issuer === undefined ? people : `${people}, signed in at ${issuer}`
}

function emptyWords(empty: readonly string[]): string | null {
  return empty.length === 0 ? null : `Nobody is in ${empty.join(', ')}: what needs it cannot be approved.`
}

function New({ what, onNew }: { what: string; onNew(): void }) {
  return (
    <Button size="small" onClick={onNew}>
      <Plus className="size-4" aria-hidden /> New {what}
    </Button>
  )
}

function Row({
  name,
  text,
  warning,
  onEdit,
  onDelete,
}: {
  name: string
  text: string
  warning: string | null
  onEdit?: () => void
  onDelete?: () => void
}) {
  return (
    <li className="flex flex-wrap items-center justify-between gap-2 py-3">
      <span className="min-w-0">
        <span className="font-semibold">{name}</span>
        <span className="block text-sm break-words text-soft">{text}</span>
        {warning && <span className="block text-sm text-bad">{warning}</span>}
      </span>
      {onEdit && onDelete ? (
        <span className="flex gap-2">
          <Button size="small" onClick={onEdit} aria-label={`Change ${name}`}>
            Change
          </Button>
          <Button size="small" variant="danger" onClick={onDelete} aria-label={`Delete ${name}`}>
            Delete
          </Button>
        </span>
      ) : (
        <span className="text-sm text-soft">
          A group of the organization, kept at{' '}
          <Link to="/members" className="rounded text-accent underline">
            Members<span className="sr-only"> ({name})</span>
          </Link>
        </span>
      )}
    </li>
  )
}
