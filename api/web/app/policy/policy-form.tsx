import { useState } from 'react'
import { limits } from '../../../../shared/contract/base/limits.ts'
import type { PolicyInput } from '../../../../shared/contract/configuration/policy.ts'
import { withApprovals, withSystem } from '../../lib/policy/policy-edit.ts'
import { approvalsWords, thresholdWords } from '../../lib/policy/policy-words.ts'
import { Choice, Field } from '../../ui/field.tsx'
import { ShowMore, useShown } from '../../ui/show-more.tsx'
import { TypedInput } from '../../ui/typed-input.tsx'
import { AddName } from '../parts/add-name.tsx'
import { SystemForm } from './system-form.tsx'

const systemsStep = 20
const thresholds = (['low', 'medium', 'high'] as const).map(value => ({
  value,
  label: thresholdWords(value),
}))

const quorums = Array.from({ length: limits.approvals_required_max }, (_, at) => ({
  value: String(at + 1),
  label: approvalsWords(at + 1),
}))

export function PolicyForm({
  policy,
  onChange,
}: {
  policy: PolicyInput
  onChange(policy: PolicyInput): void
}) {
  const { shown, rest, more } = useShown(policy.allowed_systems, systemsStep)
  const [opened, open] = useState<string | null>(null)
  const few = policy.allowed_systems.length <= 3
  return (
    <div className="flex flex-col gap-6">
      <div className="flex flex-col gap-4">
        <TypedInput
          label="Who decides"
          value={policy.review_route}
          error={text => (text.trim() === '' ? 'Say who decides, such as a team' : null)}
          onTake={review_route => onChange({ ...policy, review_route })}
        />
        <Field label="When a person is asked">
          <Choice
            value={policy.approval_required_at}
            options={thresholds}
            onChoose={approval_required_at => onChange({ ...policy, approval_required_at })}
          />
        </Field>
        <Field
          label="How many have to approve"
          hint="You and every key that you mint count as one person. An operator of the service mints keys for others."
        >
          <Choice
            value={String(policy.approvals_required ?? 1)}
            options={quorums}
            onChoose={chosen => onChange(withApprovals(policy, Number(chosen)))}
          />
        </Field>
      </div>
      <section aria-label="Allowed systems" className="flex flex-col gap-3">
        <h3 className="font-semibold">Allowed systems</h3>
        {policy.allowed_systems.length === 0 && (
          <p className="text-sm text-soft">None yet: every proposal is denied.</p>
        )}
        {shown.map(system => (
          <SystemForm
            key={system}
            policy={policy}
            system={system}
            startsOpen={few || system === opened}
            onChange={onChange}
          />
        ))}
        <ShowMore rest={rest} what="systems" more={more} />
        <AddName
          label="Add a system"
          taken={policy.allowed_systems}
          onAdd={system => {
            open(system)
            onChange(withSystem(policy, system))
          }}
        />
      </section>
    </div>
  )
}
