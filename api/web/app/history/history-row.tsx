import { Link } from 'react-router'
import type { ActionSummary } from '../../../../shared/contract/action/action.ts'
import { RiskBadge, StatusBadge } from '../../ui/status.tsx'
import { ForeignText } from '../../ui/text.tsx'
import { Time } from '../../ui/time.tsx'

const shownMax = 240

export function HistoryRow({ action, to }: { action: ActionSummary; to: string }) {
  const { operation, target_system, agent_id, summary, effective_risk, status, created_at } = action
  return (
    <Link
      to={to}
      className="grid gap-x-4 gap-y-1.5 px-5 py-3 -outline-offset-2 hover:bg-sunken md:grid-cols-[minmax(0,1fr)_auto] md:items-center"
    >
      <span className="min-w-0">
        <span className="block truncate">
          <span className="font-semibold">
            <ForeignText text={operation} />
          </span>
          <span className="text-soft"> on </span>
          <span className="font-semibold">
            <ForeignText text={target_system} />
          </span>
        </span>
        <span className="block truncate text-sm text-soft">
          <ForeignText text={agent_id} /> says: “<ForeignText text={beginning(summary)} />”
        </span>
      </span>
      <span className="flex flex-wrap items-center gap-x-3 gap-y-1 md:justify-end">
        <RiskBadge level={effective_risk} />
        <span className="md:w-44 md:text-right">
          <StatusBadge status={status} />
        </span>
        <Time at={created_at} className="text-sm text-soft md:w-32 md:text-right" />
      </span>
    </Link>
  )
}

function beginning(text: string): string {
  return [...text].slice(0, shownMax).join('')
}
