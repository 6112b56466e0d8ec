import { type ReactNode, useEffect, useState } from 'react'
import type { Answer } from '../../lib/answer.ts'
import type { DocumentDraft } from '../../lib/policy/document-draft.ts'
import type { DocumentSaver } from '../../lib/policy/save-document.ts'
import { DraftBar } from './draft-bar.tsx'
import { DiffAnswer } from './draft-changes.tsx'
import { SaveDialog } from './save-dialog.tsx'

/**
 * Shows the bar with the save button below a draft. The save dialog closes if another revision was saved in the
 * meantime, because the page then explains that.
 */
export function SaveDraft<Saved>({
  saver,
  draft,
  diff,
  next,
  status,
  ready,
  onSaved,
}: {
  saver: DocumentSaver<Saved>
  draft: DocumentDraft
  diff: Answer<'diff_owned_policy'>
  next: number
  status: ReactNode
  ready: boolean
  onSaved(saved: Saved): void
}) {
  const [saving, setSaving] = useState(false)
  useEffect(() => {
    if (saver.outdated) setSaving(false)
  }, [saver.outdated])
  return (
    <>
      <DraftBar
        draft={draft}
        status={status}
        ready={ready}
        onSave={() => {
          saver.reset()
          setSaving(true)
        }}
      />
      <SaveDialog
        open={saving}
        onClose={() => setSaving(false)}
        title={`Save as revision ${next}`}
        changes={<DiffAnswer diff={diff} shown />}
        busy={saver.busy}
        error={saver.error}
        onSave={async note => {
          const saved = await saver.save(note)
          if (!saved) return
          setSaving(false)
          onSaved(saved)
        }}
      />
    </>
  )
}
