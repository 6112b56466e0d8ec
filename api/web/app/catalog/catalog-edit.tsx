import { useMemo } from 'react'
import type { CatalogRevision } from '../../../../shared/contract/configuration/catalog.ts'
import { type Answer, useAnswer } from '../../lib/answer.ts'
import { type Answered, ProblemError } from '../../lib/call.ts'
import type { DocumentDraft, InForce } from '../../lib/policy/document-draft.ts'
import { useSaveDocument } from '../../lib/policy/save-document.ts'
import { JsonEditor } from '../../panels/json/json-editor.tsx'
import { AuthorName } from '../../panels/trace/author.tsx'
import { Card } from '../../ui/card.tsx'
import { Time } from '../../ui/time.tsx'
import { DraftChanges } from '../policy/draft-changes.tsx'
import { SaveDraft } from '../policy/save-draft.tsx'
import { StaleNote } from '../policy/stale-note.tsx'

const restMs = 400

export function CatalogEdit({
  tenantId,
  state,
  inForce,
  draft,
  onSaved,
}: {
  tenantId: string
  state: CatalogRevision | null
  inForce: InForce
  draft: DocumentDraft
  onSaved(answer: Answered<'revise_owned_catalog'>): void
}) {
  const diff = useDiff(tenantId, draft)
  const saver = useSaveDocument('catalog', tenantId, draft)
  const behind = draft.dirty && !saver.busy && draft.base.revision !== inForce.revision
  const issues = draft.read.ok ? issuesOf(diff.error) : [draft.read.issue]
  return (
    <div className="flex flex-col gap-5">
      {behind && state && <StaleNote draft={draft} inForce={inForce} by={<SavedBy state={state} />} />}
      <Card
        title="JSON"
        hint="Each operation with its parameter schema, its effects and how far it can be undone."
      >
        <JsonEditor label="Catalog as JSON" value={draft.text} onChange={draft.change} issues={issues} />
      </Card>
      <DraftChanges draft={draft} inForce={inForce} diff={diff} refused={issues.length > 0} />
      <SaveDraft
        saver={saver}
        draft={draft}
        diff={diff}
        next={inForce.revision + 1}
        status={<Standing draft={draft} diff={diff} issues={issues.length} />}
        ready={draft.dirty && draft.settled && !behind && issues.length === 0 && !diff.asking}
        onSaved={onSaved}
      />
    </div>
  )
}

/** Compares the draft with the catalog in force. The comparison also validates the draft, and changes nothing. */
function useDiff(tenantId: string, { read, dirty }: DocumentDraft): Answer<'diff_owned_policy'> {
  const input = useMemo(
    () => (read.ok && dirty ? { params: { tenant_id: tenantId }, body: { catalog: read.value } } : null),
    [tenantId, read, dirty],
  )
  return useAnswer('diff_owned_policy', input, restMs)
}

function issuesOf(error: Error | null) {
  if (!(error instanceof ProblemError)) return []
  return (error.problem.errors ?? []).map(issue => ({
    ...issue,
    path: issue.path.replace(/^catalog\.?/, ''),
  }))
}

function Standing({
  draft,
  diff: { asking },
  issues,
}: {
  draft: DocumentDraft
  diff: Answer<'diff_owned_policy'>
  issues: number
}) {
  if (!draft.dirty) return <p className="text-soft">Nothing is changed yet.</p>
  const of =
    draft.base.revision === 0 ? 'Unsaved first catalog' : `Unsaved draft of revision ${draft.base.revision}`
  if (asking || !draft.settled) return <p className="text-soft">{of}: checking…</p>
  if (issues > 0) return <p className="text-bad">{of}: it is not valid yet.</p>
  return <p className="text-soft">{of}: valid.</p>
}

function SavedBy({ state: { author, created_at } }: { state: CatalogRevision }) {
  return (
    <>
      <AuthorName author={author} />, <Time at={created_at} />
    </>
  )
}
