import { Link } from 'react-router'
import { useCall } from '../../lib/query.tsx'
import { AuthorName } from '../../panels/trace/author.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Card, Facts } from '../../ui/card.tsx'
import { Digest } from '../../ui/copy-button.tsx'
import { Reading } from '../../ui/state.tsx'
import { StatusBadge } from '../../ui/status.tsx'
import { ForeignText } from '../../ui/text.tsx'
import { Time } from '../../ui/time.tsx'
import { ActionLink, OperationName } from '../parts/job-links.tsx'
import { StopBadge, scopeText } from '../queue/stop-words.tsx'
import { bindingWords, ResultBadge } from '../verification/report-words.tsx'

const everyMs = 10_000

export function TenantOverview({ tenantId }: { tenantId: string }) {
  return (
    <div className="grid items-start gap-6 xl:grid-cols-2">
      <CompiledPolicy tenantId={tenantId} />
      <div className="flex flex-col gap-6">
        <Stops tenantId={tenantId} />
        <Proof tenantId={tenantId} />
      </div>
      <div className="xl:col-span-2">
        <Latest tenantId={tenantId} />
      </div>
    </div>
  )
}

function CompiledPolicy({ tenantId }: { tenantId: string }) {
  const policy = useCall('read_policy', { params: { tenant_id: tenantId } })
  return (
    <Card title="Policy in force" actions={<More to={`/tenants/${tenantId}/policy`} what="policy" />}>
      <Reading query={policy} rows={6}>
        {({ policy: { allowed_systems: systems, approval_required_at, review_route }, ...state }) => (
          <Facts
            facts={[
              ['Revision', `${state.revision}`],
              ['Hash', <Digest key="hash" value={state.policy_hash} what="Policy hash" />],
              ['Made by', <AuthorName key="author" author={state.author} />],
              ['Made', <Time key="made" at={state.created_at} />],
              [
                'Systems',
                systems.length === 0 ? (
                  'None: all is denied'
                ) : (
                  <ForeignText key="s" text={systems.slice(0, 12).join(', ')} />
                ),
              ],
              ['People decide from', `${approval_required_at} risk`],
              ['They are', <ForeignText key="route" text={review_route} />],
            ]}
          />
        )}
      </Reading>
    </Card>
  )
}

function Stops({ tenantId }: { tenantId: string }) {
  const freezes = useCall('read_freezes', { params: { tenant_id: tenantId } }, { every: everyMs })
  return (
    <Card
      title="Freezes and pauses"
      actions={<More to={`/tenants/${tenantId}/stops`} what="freezes and pauses" />}
    >
      <Reading query={freezes} rows={1}>
        {({ freezes: found }) =>
          found.length === 0 ? (
            <p className="text-soft">None: what is allowed is executed.</p>
          ) : (
            <ul className="flex flex-col gap-2">
              {found.map(stop => (
                <li key={`${stop.effect} ${scopeText(stop)}`} className="flex flex-wrap items-center gap-2">
                  <StopBadge effect={stop.effect} /> {scopeText(stop)}
                </li>
              ))}
            </ul>
          )
        }
      </Reading>
    </Card>
  )
}

function Proof({ tenantId }: { tenantId: string }) {
  const reports = useCall('list_verifications', { params: { tenant_id: tenantId }, query: { limit: '1' } })
  return (
    <Card
      title="Last verification"
      actions={<More to={`/tenants/${tenantId}/verification`} what="verification" />}
    >
      <Reading query={reports} rows={1}>
        {({ reports: [report] }) =>
          report ? (
            <p className="flex flex-wrap items-center gap-2">
              <ResultBadge result={report.result} />
              <Badge>{bindingWords[report.live_policy_binding.status]}</Badge>
              <Time at={report.created_at} className="text-soft" />
            </p>
          ) : (
            <p className="text-soft">Nothing was proved yet.</p>
          )
        }
      </Reading>
    </Card>
  )
}

function Latest({ tenantId }: { tenantId: string }) {
  const input = { params: { tenant_id: tenantId }, query: { limit: '5' } }
  const actions = useCall('list_tenant_actions', input, { every: everyMs })
  return (
    <Card
      title="Latest actions"
      padded={false}
      actions={<More to={`/tenants/${tenantId}/actions`} what="actions" />}
    >
      <Reading query={actions} rows={5}>
        {({ actions: latest }) =>
          latest.length === 0 ? (
            <p className="p-5 text-soft">No agent has proposed anything yet.</p>
          ) : (
            <ul className="divide-y divide-line">
              {latest.map(action => (
                <li key={action.action_id} className="flex flex-wrap items-center gap-x-4 gap-y-1 px-5 py-3">
                  <StatusBadge status={action.status} />
                  <OperationName system={action.target_system} operation={action.operation} />
                  <ActionLink tenantId={tenantId} actionId={action.action_id} />
                  <Time at={action.created_at} className="ml-auto text-sm text-soft" />
                </li>
              ))}
            </ul>
          )
        }
      </Reading>
    </Card>
  )
}

function More({ to, what }: { to: string; what: string }) {
  return (
    <Link to={to} className="rounded text-sm font-medium text-accent underline underline-offset-2">
      Open<span className="sr-only"> {what}</span>
    </Link>
  )
}
