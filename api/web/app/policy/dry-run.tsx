import { useState } from 'react'
import type { JsonObject } from '../../../../shared/contract/base/json.ts'
import { type Answered, type CallInput, ProblemError } from '../../lib/call.ts'
import type { DocumentDraft } from '../../lib/policy/document-draft.ts'
import { readDraft } from '../../lib/policy/read-draft.ts'
import { useAct } from '../../lib/query.tsx'
import { JsonEditor } from '../../panels/json/json-editor.tsx'
import { GateReasons } from '../../panels/trace/gate-reasons.tsx'
import { FlaskConical } from '../../pictures/icons.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Choice, Field } from '../../ui/field.tsx'
import { ProblemNote } from '../../ui/state.tsx'
import { ProposalChoice } from './proposal-choice.tsx'

/** Shows the decision that a proposal would get under the draft or under the policy in force. Records nothing. */
export function DryRun({
  tenantId,
  draft,
  policy,
}: {
  tenantId: string
  draft: DocumentDraft
  /** The draft as normalized by the service; null if the service rejects the draft. */
  policy: JsonObject | null
}) {
  const [text, setText] = useState('')
  const [against, setAgainst] = useState<'draft' | 'in-force'>('draft')
  const act = useAct('check_owned_policy')
  const read = readDraft(text)
  const underDraft = against === 'draft' && draft.dirty
  const ready = text !== '' && (!underDraft || policy !== null)
  const run = (): void => {
    if (!read.ok) return
    const body = { proposal: read.value, ...(underDraft && policy ? { policy } : {}) }
    act.mutate({
      params: { tenant_id: tenantId },
      body: body as unknown as NonNullable<CallInput<'check_owned_policy'>['body']>,
    })
  }
  return (
    <Card
      title="Try a proposal"
      hint="What the gate would decide. Nothing is recorded and nothing is executed."
    >
      <div className="grid items-start gap-5 xl:grid-cols-2">
        <div className="flex flex-col gap-4">
          <ProposalChoice
            tenantId={tenantId}
            onChoose={chosen => {
              setText(chosen)
              act.reset()
            }}
          />
          <JsonEditor
            label="Proposal as JSON"
            value={text}
            onChange={setText}
            issues={text === '' ? [] : issuesOf(read, act.error)}
            lines={22}
          />
          <div className="flex flex-wrap items-end gap-3">
            <Field label="Decide under" className="min-w-48">
              <Choice
                value={draft.dirty ? against : 'in-force'}
                options={draft.dirty ? [draftOption, inForceOption] : [inForceOption]}
                onChoose={side => setAgainst(side === 'draft' ? 'draft' : 'in-force')}
              />
            </Field>
            <Button variant="primary" onClick={run} disabled={!ready || !read.ok} busy={act.isPending}>
              <FlaskConical className="size-4" aria-hidden /> Try it
            </Button>
          </div>
        </div>
        <Result act={act} />
      </div>
    </Card>
  )
}

const draftOption = { value: 'draft', label: 'The draft' } as const
const inForceOption = { value: 'in-force', label: 'The policy in force' } as const

function Result({
  act: { data, error, variables },
}: {
  act: ReturnType<typeof useAct<'check_owned_policy'>>
}) {
  const underDraft = variables?.body !== undefined && 'policy' in variables.body
  return (
    <div aria-live="polite" className="min-w-0">
      {error && !isInvalid(error) && <ProblemNote error={error} />}
      {data ? <Outcome checked={data} underDraft={underDraft} /> : <Waiting />}
    </div>
  )
}

function Waiting() {
  return (
    <p className="rounded-lg border border-line border-dashed px-6 py-10 text-center text-sm text-soft">
      Choose or paste a proposal, then try it. The decision and every check that led to it appear here.
    </p>
  )
}

function Outcome({ checked, underDraft }: { checked: Answered<'check_owned_policy'>; underDraft: boolean }) {
  return (
    <div className="flex flex-col gap-3">
      <p className="text-sm text-soft">Under {underDraft ? 'the draft' : 'the policy in force'}</p>
      <GateReasons verdict={checked} allChecks />
      {checked.review_route !== undefined && <p>It would go to {checked.review_route}.</p>}
    </div>
  )
}

/**
 * Returns the issues of the proposal, with paths inside its text. The policy editor shows the issues of the draft.
 */
function issuesOf(read: ReturnType<typeof readDraft>, error: Error | null) {
  if (!read.ok) return [read.issue]
  if (!isInvalid(error)) return []
  return (error.problem.errors ?? []).map(issue => ({
    ...issue,
    path: issue.path.replace(/^proposal\.?/, ''),
  }))
}

function isInvalid(error: Error | null): error is ProblemError {
  return error instanceof ProblemError && error.problem.errors !== undefined
}
