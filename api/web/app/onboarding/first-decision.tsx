import type { ActionSummary } from '../../../../shared/contract/action/action.ts'
import type { ActionStatus } from '../../../../shared/contract/action/action-status.ts'
import { useCall } from '../../lib/query.tsx'
import { ArrowRight } from '../../pictures/icons.ts'
import { ButtonLink } from '../../ui/button.tsx'
import { ClampedText } from '../../ui/clamped-text.tsx'
import { classes } from '../../ui/classes.ts'
import { StatusBadge } from '../../ui/status.tsx'
import { ForeignText } from '../../ui/text.tsx'
import { Time } from '../../ui/time.tsx'

const onTheWay = 'The gate allowed it. It is being executed; this takes a moment.'
const outcomes: Readonly<Record<ActionStatus, string>> = {
  received: 'It has arrived and is being decided.',
  allowed: onTheWay,
  approved: onTheWay,
  execution_pending: onTheWay,
  executing: onTheWay,
  pending_approval: 'The gate holds it until a person decides. You can: nothing happens before.',
  denied: 'The gate denied it. Nothing was executed, and nobody can approve it.',
  executed: 'The gate allowed it, and the service executed it. Your agent never touched the system itself.',
  execution_failed: 'The gate allowed it, but executing it failed. It had no effect.',
  outcome_unknown: 'It was sent, but nobody knows yet whether it happened. Automation stops here.',
}

export function FirstDecision({ tenantId, first }: { tenantId: string; first: ActionSummary | null }) {
  return (
    <>
      <div
        className={classes(
          'rounded-lg border px-4 py-3 transition-colors duration-500',
          first ? 'border-good/40 bg-good-wash text-good' : 'border-line bg-sunken',
        )}
      >
        <p role="status" className="flex items-center gap-3 font-medium">
          <Pulse arrived={first !== null} />
          {first ? 'Your agent’s first proposal has arrived' : 'Waiting for your agent’s first proposal…'}
        </p>
        {!first && (
          <p className="mt-1 pl-6 text-sm text-soft">Keep this page open: it turns green by itself.</p>
        )}
      </div>
      {first && <Arrived tenantId={tenantId} first={first} />}
    </>
  )
}

function Pulse({ arrived }: { arrived: boolean }) {
  return (
    <span className="relative grid size-3 shrink-0 place-items-center" aria-hidden>
      {!arrived && <span className="absolute size-3 animate-ping rounded-full bg-accent opacity-60" />}
      <span className={classes('size-2.5 rounded-full', arrived ? 'bg-good' : 'bg-accent')} />
    </span>
  )
}

function Arrived({ tenantId, first }: { tenantId: string; first: ActionSummary }) {
  const held = first.status === 'pending_approval'
  const trace = `/a/${tenantId}/history/${first.action_id}`
  return (
    <div className="mt-4 flex flex-col gap-4">
      <p className="flex flex-wrap items-center gap-2">
        <StatusBadge status={first.status} />
        <span role="status">{outcomeOf(first)}</span>
      </p>
      {first.status === 'denied' && <Reasons tenantId={tenantId} actionId={first.action_id} />}
      <figure className="rounded-lg border-l-2 border-line-strong bg-sunken px-4 py-3">
        <figcaption className="text-sm text-soft">
          The agent says it wants to · <Time at={first.created_at} />
        </figcaption>
        <blockquote className="mt-1">
          <ClampedText text={first.summary} />
        </blockquote>
      </figure>
      <div className="flex flex-wrap gap-2">
        {held && (
          <ButtonLink variant="primary" to={`/a/${tenantId}/approvals/${first.action_id}`}>
            Review and decide <ArrowRight className="size-4" aria-hidden />
          </ButtonLink>
        )}
        <ButtonLink variant={held ? 'secondary' : 'primary'} to={trace}>
          See its whole trace
        </ButtonLink>
        <ButtonLink to={`/a/${tenantId}/policy`}>See the policy that decided</ButtonLink>
      </div>
    </div>
  )
}

function outcomeOf({ status, decision }: ActionSummary): string {
  return status === 'denied' && decision === 'needs_approval'
    ? 'The gate held it, and it was not approved. Nothing was executed.'
    : outcomes[status]
}

function Reasons({ tenantId, actionId }: { tenantId: string; actionId: string }) {
  const { data } = useCall('read_owned_action', { params: { tenant_id: tenantId, action_id: actionId } })
  if (!data || data.verdict.blocking_reasons.length === 0) return null
  return (
    <ul className="list-disc pl-5 text-sm">
      {data.verdict.blocking_reasons.map(reason => (
        <li key={reason}>
          <ForeignText text={reason} />
        </li>
      ))}
    </ul>
  )
}
