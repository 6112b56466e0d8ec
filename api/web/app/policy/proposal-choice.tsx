import { useState } from 'react'
import { call } from '../../lib/call.ts'
import { draftText } from '../../lib/policy/read-draft.ts'
import { useCall, usePages } from '../../lib/query.tsx'
import { Choice, Field } from '../../ui/field.tsx'
import { ProblemNote } from '../../ui/state.tsx'

const recentMax = '10'

export function ProposalChoice({ tenantId, onChoose }: { tenantId: string; onChoose(text: string): void }) {
  const params = { tenant_id: tenantId }
  const integration = useCall('read_owned_integration', { params })
  const templates = useCall('policy_templates')
  const recent = usePages('list_owned_actions', { params, query: { limit: recentMax } })
  const [chosen, setChosen] = useState('')
  const [error, setError] = useState<Error | null>(null)
  const example = integration.data?.example_proposal
  const actions = recent.data?.pages[0]?.actions ?? []
  const choose = (value: string): void => {
    setChosen(value)
    setError(null)
    const template = templates.data?.templates.find(({ name }) => value === `template ${name}`)
    if (template) onChoose(draftText(template.example_proposal))
    if (value === 'example' && example) onChoose(draftText(example))
    if (value.startsWith('act_'))
      call('read_owned_action', { params: { ...params, action_id: value } }).then(
        ({ proposal }) => proposal && onChoose(draftText(proposal)),
        setError,
      )
  }
  return (
    <div className="flex flex-col gap-2">
      <Field label="Start from">
        <Choice
          value={chosen}
          onChoose={choose}
          options={[
            { value: '', label: 'Choose a proposal, or paste one below' },
            ...(example ? [{ value: 'example', label: 'The example for this application' }] : []),
            ...actions.map(({ action_id, target_system, operation, status }) => ({
              value: action_id,
              label: `Sent by an agent: ${target_system} · ${operation} (${status})`,
            })),
            ...(templates.data?.templates ?? []).map(({ name, title }) => ({
              value: `template ${name}`,
              label: `From the template “${title}”`,
            })),
          ]}
        />
      </Field>
      {error && <ProblemNote error={error} />}
    </div>
  )
}
