import { type FormEvent, useState } from 'react'
import type { Issue } from '../../../../shared/contract/base/errors.ts'
import { limits } from '../../../../shared/contract/base/limits.ts'
import type { Answered, CallInput } from '../../lib/call.ts'
import { draftText, readDraft } from '../../lib/policy/read-draft.ts'
import { useCall } from '../../lib/query.tsx'
import { JsonEditor } from '../../panels/json/json-editor.tsx'
import { Choice, Field, TextInput } from '../../ui/field.tsx'
import { ProblemNote, Reading } from '../../ui/state.tsx'
import { issuesUnder } from '../parts/problem-issues.ts'

type TenantBody = NonNullable<CallInput<'create_tenant'>['body']>

export const createTenantForm = 'create-tenant'

/** The option to write a policy instead of choosing a template. */
const own = '(own)'

interface CreateTenantFormProps {
  error: Error | null
  onSubmit(body: TenantBody): void
}

/** Waits for the templates, because a template that arrives late would replace the policy a person is writing. */
export function CreateTenantForm(props: CreateTenantFormProps) {
  const query = useCall('policy_templates')
  return (
    <Reading query={query} rows={5}>
      {({ templates }) => <Fields {...props} templates={templates} />}
    </Reading>
  )
}

function Fields({
  error,
  onSubmit,
  templates,
}: CreateTenantFormProps & Pick<Answered<'policy_templates'>, 'templates'>) {
  const [tenantId, setTenantId] = useState('')
  const [from, setFrom] = useState(templates[0]?.name ?? own)
  const [text, setText] = useState(emptyPolicy)
  const [mocks, setMocks] = useState('')
  const [issues, setIssues] = useState<readonly Issue[]>([])
  const placed = issues.length > 0 ? issues : issuesUnder(error, 'policy')
  const template = templates.find(({ name }) => name === from)

  const submit = (event: FormEvent): void => {
    event.preventDefault()
    const read = from === own ? readDraft(text) : null
    setIssues(read && !read.ok ? [read.issue] : [])
    const tenant_id = tenantId.trim()
    if (!read) onSubmit({ tenant_id, template: from })
    else if (read.ok) onSubmit({ tenant_id, policy: read.value, mock_actuators: namesIn(mocks) })
  }
  return (
    <form id={createTenantForm} onSubmit={submit} className="flex flex-col gap-5">
      <Field label="Tenant id" hint="Letters, digits, dot, dash and underscore. It cannot be changed later.">
        <TextInput
          required
          autoFocus
          autoComplete="off"
          spellCheck={false}
          maxLength={limits.tenant_id_length_max}
          value={tenantId}
          onChange={event => setTenantId(event.currentTarget.value)}
        />
      </Field>
      <Field label="Policy to begin with" hint={template?.description}>
        <Choice
          value={from}
          onChoose={setFrom}
          options={[
            ...templates.map(({ name, title }) => ({ value: name, label: `Template: ${title}` })),
            { value: own, label: 'A policy of your own (JSON)' },
          ]}
        />
      </Field>
      {from === own && (
        <>
          <JsonEditor label="Policy" value={text} onChange={setText} lines={16} issues={placed} />
          <Field
            label="Mock actuators (optional)"
            hint="Names with commas between. Real ones are registered later."
          >
            <TextInput
              autoComplete="off"
              value={mocks}
              onChange={event => setMocks(event.currentTarget.value)}
            />
          </Field>
        </>
      )}
      {error && (from !== own || placed.length === 0) && <ProblemNote error={error} />}
    </form>
  )
}

const emptyPolicy = draftText({
  allowed_systems: [],
  allowed_operations: {},
  parameter_constraints: {},
  approval_required_at: 'medium',
  review_route: 'operators',
})

function namesIn(text: string): string[] {
  return text
    .split(',')
    .map(name => name.trim())
    .filter(name => name !== '')
}
