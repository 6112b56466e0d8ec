import type { ActionStatus } from '../../../shared/contract/action/action-status.ts'
import type { RiskLevel } from '../../../shared/contract/action/proposal-schema.ts'
import { Badge, type Tone } from './badge.tsx'

const statuses: Readonly<Record<ActionStatus, { label: string; tone: Tone; meaning: string }>> = {
  received: { label: 'Received', tone: 'info', meaning: 'The proposal is stored and not decided yet.' },
  allowed: { label: 'Allowed', tone: 'info', meaning: 'The gate allowed it.' },
  pending_approval: { label: 'Waiting for approval', tone: 'warn', meaning: 'A person has to decide.' },
  approved: { label: 'Approved', tone: 'info', meaning: 'A person approved it.' },
  execution_pending: { label: 'Queued', tone: 'info', meaning: 'It runs as soon as a worker takes it.' },
  executing: { label: 'Executing', tone: 'info', meaning: 'A worker is calling the system.' },
  denied: { label: 'Denied', tone: 'bad', meaning: 'It was not and will not be executed.' },
  executed: { label: 'Executed', tone: 'good', meaning: 'It was executed; the result is recorded.' },
  execution_failed: { label: 'Failed', tone: 'bad', meaning: 'It definitely had no effect.' },
  outcome_unknown: { label: 'Outcome unknown', tone: 'odd', meaning: 'It may or may not have happened.' },
}

export function StatusBadge({ status }: { status: ActionStatus }) {
  const { label, tone, meaning } = statuses[status]
  return (
    <Badge tone={tone} title={meaning}>
      {label}
    </Badge>
  )
}

/** Action statuses in the order of the specification. */
export const statusNames = Object.keys(statuses) as readonly ActionStatus[]

export function statusLabel(status: ActionStatus): string {
  return statuses[status].label
}

const risks: Readonly<Record<RiskLevel, Tone>> = { low: 'good', medium: 'warn', high: 'bad' }

export const riskOptions = [
  { value: '', label: 'Any risk' },
  { value: 'high', label: 'High risk' },
  { value: 'medium', label: 'Medium risk' },
  { value: 'low', label: 'Low risk' },
] as const

export function RiskBadge({ level, label = `${level} risk` }: { level: RiskLevel; label?: string }) {
  return <Badge tone={risks[level]}>{label}</Badge>
}
