import type {
  BoundReport,
  VerificationResult,
} from '../../../../shared/contract/configuration/verification-schema.ts'
import { CircleCheck, CircleHelp, CircleX } from '../../pictures/icons.ts'
import { Badge } from '../../ui/badge.tsx'

const results = {
  verified: { tone: 'good', label: 'Verified', icon: CircleCheck },
  violated: { tone: 'bad', label: 'Violated', icon: CircleX },
  inconclusive: { tone: 'warn', label: 'Inconclusive', icon: CircleHelp },
} as const

export function ResultBadge({ result }: { result: VerificationResult }) {
  const { tone, label, icon: Icon } = results[result]
  return (
    <Badge tone={tone}>
      <Icon className="size-3.5" aria-hidden /> {label}
    </Badge>
  )
}

export const bindingWords: Readonly<Record<BoundReport['live_policy_binding']['status'], string>> = {
  current: 'About what is in force',
  stale_policy: 'Of an older policy',
  stale_catalog: 'Of an older catalog',
  stale_mode: 'Of another mode of the gate',
  stale_engine: 'By an older prover',
  draft_only: 'Of a draft',
}
