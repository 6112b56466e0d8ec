import type { RecordedVerdict } from '../../../../shared/contract/action/action.ts'
import type { HeldCounts, Review } from '../../../../shared/contract/action/review-schema.ts'
import { counted, formatNumber } from '../../lib/format.ts'
import { ForeignText } from '../../ui/text.tsx'

export interface AskedBeforeProps {
  review: Review
  verdict: Pick<RecordedVerdict, 'principal' | 'policy' | 'catalog' | 'effective_risk'>
  operation: string
  system: string
}

/**
 * Shows how earlier requests of the same key were decided, and which higher threshold would not hold this action.
 */
export function AskedBefore({ review, verdict, operation, system }: AskedBeforeProps) {
  const { history, spared, in_force } = review
  const { by_key, of_operation, complete } = history
  return (
    <div className="flex flex-col gap-2">
      <p>
        <ForeignText text={verdict.principal.name} /> asked{' '}
        <strong className="font-semibold">
          {complete ? '' : 'at least '}
          {by_key.asked === 1 ? 'once' : `${formatNumber(by_key.asked)} times`}
        </strong>{' '}
        in the last 24 hours, this time included: {becameWords(by_key)}.
      </p>
      {by_key.asked > of_operation.asked && (
        <p>
          {formatNumber(of_operation.asked)} of them for <ForeignText text={operation} /> on{' '}
          <ForeignText text={system} />: {becameWords(of_operation)}.
        </p>
      )}
      <InForce verdict={verdict} in_force={in_force} />
      <Spared spared={spared} risk={verdict.effective_risk} />
    </div>
  )
}

const became = [
  ['waiting', 'still waiting'],
  ['approved', 'approved'],
  ['rejected', 'rejected'],
  ['expired', 'ended undecided'],
  ['withdrawn', 'withdrawn'],
  ['edited', 'edited'],
] as const satisfies readonly (readonly [keyof HeldCounts, string])[]

function becameWords(counts: HeldCounts): string {
  return became
    .filter(([member]) => counts[member] > 0)
    .map(([member, words]) => `${formatNumber(counts[member])} ${words}`)
    .join(', ')
}

const nowWords = {
  allow: 'The rules in force now would allow it without asking.',
  needs_approval: 'The rules changed since, and still ask.',
  deny: 'The rules in force now would deny it.',
} as const

/** Shows the decision under the current rules if they have changed since, or would not hold the action now. */
function InForce({ verdict, in_force }: Pick<AskedBeforeProps, 'verdict'> & Pick<Review, 'in_force'>) {
  const same =
    in_force.policy.hash === verdict.policy.hash && in_force.catalog?.hash === verdict.catalog?.hash
  if (same && in_force.decision === 'needs_approval') return null
  return (
    <p className={in_force.decision === 'deny' ? 'text-bad' : undefined}>{nowWords[in_force.decision]}</p>
  )
}

function Spared({ spared, risk }: Pick<Review, 'spared'> & { risk: RecordedVerdict['effective_risk'] }) {
  const [least] = spared.filter(({ this_action }) => this_action)
  if (!least)
    return (
      <p className="text-sm text-soft">
        No threshold of the policy would spare you this one:{' '}
        {risk.level === 'high' ? 'high risk is always asked' : 'the rules in force do not allow it'}.
      </p>
    )
  return (
    <p className="text-sm text-soft">
      Approving frees this action alone. With the threshold at {least.approval_required_at} nobody would be
      asked about it{least.by_key > 1 && `, nor about ${counted(least.by_key - 1, 'other')} of these`}.
    </p>
  )
}
