import type { RecordedVerdict } from '../../../shared/contract/action/action.ts'
import { RiskBadge } from '../ui/status.tsx'

export function EffectiveRisk({
  risk: { level, claimed, raised_by },
  inList = false,
}: {
  risk: RecordedVerdict['effective_risk']
  inList?: boolean
}) {
  const plain = inList ? level : `${level} risk`
  const claim = inList ? '' : `; the agent claims ${claimed}`
  return (
    <RiskBadge
      level={level}
      label={raised_by === null ? plain : `${plain}, raised by the ${raised_by}${claim}`}
    />
  )
}
