import { useState } from 'react'
import type { DocumentDraft } from '../../lib/policy/document-draft.ts'
import { type ComparedRevision, RevisionCompare } from '../../panels/diff/revision-compare.tsx'
import { History } from '../../pictures/icons.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import type { Paged } from '../../ui/load-more.tsx'
import { Empty, Reading } from '../../ui/state.tsx'

export interface RevisionsTabProps {
  what: 'policy' | 'catalog'
  pages: Paged & { error: Error | null; refetch(): unknown }
  /** Revisions, newest first; undefined while they are loading. */
  revisions: readonly ComparedRevision[] | undefined
  draft: DocumentDraft
  /** Null if the person may not change the document. */
  onDraft: ((text: string) => void) | null
}

export function RevisionsTab({ what, pages, revisions, draft, onDraft }: RevisionsTabProps) {
  if (!revisions || revisions.length === 0)
    return (
      <Card padded={false}>
        <Reading query={{ data: revisions, error: pages.error, refetch: pages.refetch }} rows={6}>
          {() => (
            <Empty icon={History} title="No revisions yet">
              The first one appears here when a {what} is saved.
            </Empty>
          )}
        </Reading>
      </Card>
    )
  return <Revisions pages={pages} revisions={revisions} draft={draft} onDraft={onDraft} />
}

/** Asks for confirmation before an older revision replaces an unsaved draft. */
function Revisions({
  pages,
  revisions,
  draft,
  onDraft,
}: Omit<RevisionsTabProps, 'what'> & { revisions: readonly ComparedRevision[] }) {
  const [asking, ask] = useState<ComparedRevision | null>(null)
  return (
    <>
      <RevisionCompare
        revisions={revisions}
        pages={pages}
        {...(onDraft ? { onDraft: revision => (draft.dirty ? ask(revision) : onDraft(revision.text)) } : {})}
      />
      <Dialog
        open={asking !== null}
        onClose={() => ask(null)}
        title="Replace your draft?"
        description={`You have an unsaved draft. Going on from revision ${asking?.revision} drops it.`}
        footer={
          <>
            <Button onClick={() => ask(null)}>Keep my draft</Button>
            <Button variant="danger" onClick={() => asking && onDraft?.(asking.text)}>
              Replace it
            </Button>
          </>
        }
      />
    </>
  )
}
