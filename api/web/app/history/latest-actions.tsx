import { Link } from 'react-router'
import type { ActionSummary } from '../../../../shared/contract/action/action.ts'
import { ArrowRight } from '../../pictures/icons.ts'
import { Card } from '../../ui/card.tsx'
import { StatusBadge } from '../../ui/status.tsx'
import { ForeignText } from '../../ui/text.tsx'
import { Time } from '../../ui/time.tsx'

export function LatestActions({
  tenantId,
  actions,
}: {
  tenantId: string
  actions: readonly ActionSummary[]
}) {
  return (
    <Card
      title="Latest actions"
      padded={false}
      actions={
        <Link
          to={`/a/${tenantId}/history`}
          className="flex min-h-6 items-center gap-1 rounded text-sm font-medium text-accent hover:underline"
        >
          All actions <ArrowRight className="size-4" aria-hidden />
        </Link>
      }
    >
      {actions.length === 0 ? (
        <p className="px-5 py-6 text-soft">No agent has proposed anything yet.</p>
      ) : (
        <ul className="divide-y divide-line">
          {actions.map(action => (
            <Latest key={action.action_id} tenantId={tenantId} action={action} />
          ))}
        </ul>
      )}
    </Card>
  )
}

function Latest({ tenantId, action }: { tenantId: string; action: ActionSummary }) {
  const { action_id, status, target_system, operation, summary, created_at } = action
  return (
    <li>
      <Link
        to={`/a/${tenantId}/history/${action_id}`}
        className="flex flex-col gap-x-4 gap-y-1 px-5 py-3 -outline-offset-2 hover:bg-sunken sm:flex-row sm:items-center"
      >
        <span className="min-w-0 flex-1">
          <span className="block truncate font-mono text-[0.8125rem]">
            <ForeignText text={`${target_system} · ${operation}`} />
          </span>
          <span className="line-clamp-1 text-sm text-soft">
            <span className="sr-only">The agent says: </span>“<ForeignText text={first(summary)} />”
          </span>
        </span>
        <span className="flex shrink-0 items-center justify-between gap-4 sm:justify-end">
          <StatusBadge status={status} />
          <Time at={created_at} className="text-sm text-soft sm:w-28 sm:text-right" />
        </span>
      </Link>
    </li>
  )
}

const shownMax = 240

/** Shortens a text to 240 characters, so that a screen reader does not read out a long text. */
function first(text: string): string {
  const characters = [...text]
  return characters.length > shownMax ? `${characters.slice(0, shownMax).join('')}…` : text
}
