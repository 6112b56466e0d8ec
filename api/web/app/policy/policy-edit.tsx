import { useMemo } from 'react'
import type { JsonObject } from '../../../../shared/contract/base/json.ts'
import type { PolicyState } from '../../../../shared/contract/configuration/tenant.ts'
import { type Answer, useAnswer } from '../../lib/answer.ts'
import { type Answered, ProblemError } from '../../lib/call.ts'
import { counted } from '../../lib/format.ts'
import type { DocumentDraft } from '../../lib/policy/document-draft.ts'
import { asPolicy } from '../../lib/policy/policy-edit.ts'
import { draftText } from '../../lib/policy/read-draft.ts'
import { useSaveDocument } from '../../lib/policy/save-document.ts'
import { JsonEditor } from '../../panels/json/json-editor.tsx'
import { AuthorName } from '../../panels/trace/author.tsx'
import { Card } from '../../ui/card.tsx'
import { ProblemNote } from '../../ui/state.tsx'
import { Time } from '../../ui/time.tsx'
import { UnreadableFields, useUnreadableFields } from '../../ui/typed-input.tsx'
import { DraftChanges } from './draft-changes.tsx'
import { DryRun } from './dry-run.tsx'
import { PolicyForm } from './policy-form.tsx'
import { SaveDraft } from './save-draft.tsx'
import { StaleNote } from './stale-note.tsx'

const restMs = 200
type Validation = Answer<'validate_owned_policy'>

export function PolicyEdit({
  tenantId,
  state,
  draft,
  onSaved,
}: {
  tenantId: string
  state: PolicyState
  draft: DocumentDraft
  onSaved(answer: Answered<'replace_owned_policy'>): void
}) {
  const validation = useValidation(tenantId, draft)
  const diff = useDiff(tenantId, draft, validation)
  // Ignores a validation of an earlier text, because the draft has changed since.
  const valid = draft.settled && !validation.asking ? validation.data : null
  const inForce = { revision: state.revision, text: draftText(state.policy) }
  const saver = useSaveDocument('policy', tenantId, draft)
  const unreadable = useUnreadableFields()
  const behind = draft.dirty && !saver.busy && draft.base.revision !== state.revision
  return (
    <div className="flex flex-col gap-5">
      {behind && <StaleNote draft={draft} inForce={inForce} by={<SavedBy state={state} />} />}
      <UnreadableFields value={unreadable.report}>
        <Editors draft={draft} validation={validation} />
      </UnreadableFields>
      <DraftChanges
        draft={draft}
        inForce={inForce}
        diff={diff}
        refused={!draft.read.ok || validation.error !== null}
      />
      <DryRun tenantId={tenantId} draft={draft} policy={(valid?.policy ?? null) as JsonObject | null} />
      <SaveDraft
        saver={saver}
        draft={draft}
        diff={diff}
        next={inForce.revision + 1}
        status={
          unreadable.count > 0 ? (
            <p className="text-bad">A field cannot be read. Correct it to save.</p>
          ) : (
            <Standing draft={draft} validation={validation} behind={behind} />
          )
        }
        ready={draft.dirty && !behind && valid !== null && unreadable.count === 0}
        onSaved={onSaved}
      />
    </div>
  )
}

function useValidation(tenantId: string, { read }: DocumentDraft): Validation {
  const input = useMemo(
    () => (read.ok ? { params: { tenant_id: tenantId }, body: read.value } : null),
    [tenantId, read],
  )
  return useAnswer('validate_owned_policy', input, restMs)
}

function useDiff(
  tenantId: string,
  { dirty }: DocumentDraft,
  { data }: Validation,
): Answer<'diff_owned_policy'> {
  const input = useMemo(
    () =>
      data && dirty
        ? { params: { tenant_id: tenantId }, body: { policy: data.policy as unknown as JsonObject } }
        : null,
    [tenantId, data, dirty],
  )
  return useAnswer('diff_owned_policy', input, restMs)
}

function Editors({ draft, validation }: { draft: DocumentDraft; validation: Validation }) {
  const { read } = draft
  const policy = useMemo(() => (read.ok ? asPolicy(read.value) : null), [read])
  const problem = validation.error instanceof ProblemError ? validation.error.problem : null
  const issues = read.ok ? (problem?.errors ?? []) : [read.issue]
  return (
    <div className="grid items-start gap-5 xl:grid-cols-2">
      <Card title="Form" hint="The common things. It edits the same draft as the JSON.">
        {policy ? (
          <PolicyForm policy={policy} onChange={draft.write} />
        ) : (
          <p className="text-soft">
            The JSON is not shaped like a policy, so the form cannot show it. It comes back once the JSON is
            put right.
          </p>
        )}
      </Card>
      <Card title="JSON" hint="Everything a policy can say." className="xl:sticky xl:top-4">
        <JsonEditor
          label="Policy as JSON"
          value={draft.text}
          onChange={draft.change}
          onLeave={draft.settle}
          issues={issues}
          warnings={validation.data?.warnings ?? []}
        />
        {validation.error && !problem?.errors && <ProblemNote error={validation.error} className="mt-3" />}
      </Card>
    </div>
  )
}

function Standing({
  draft,
  validation: { asking, data, error },
  behind,
}: {
  draft: DocumentDraft
  validation: Validation
  behind: boolean
}) {
  const of = draft.dirty ? `Unsaved draft of revision ${draft.base.revision}` : 'Nothing is changed yet'
  if (behind) return <p className="text-warn">{of}: a newer revision is in force, see above.</p>
  if (!draft.read.ok) return <p className="text-bad">{of}: it is not JSON yet.</p>
  if (asking || !draft.settled) return <p className="text-soft">{of}: checking…</p>
  if (error) return <p className="text-bad">{of}: it is not valid yet.</p>
  const warned = data?.warnings.length ?? 0
  return (
    <p className={warned > 0 ? 'text-warn' : 'text-soft'}>
      {of}
      {draft.dirty && (warned > 0 ? `: valid, with ${counted(warned, 'warning')}.` : ': valid.')}
      {!draft.dirty && '.'}
    </p>
  )
}

function SavedBy({ state: { author, created_at, change_note } }: { state: PolicyState }) {
  return (
    <>
      <AuthorName author={author} />, <Time at={created_at} />
      {change_note && ` (“${change_note.slice(0, 200)}”)`}
    </>
  )
}
