import { type ReactNode, useState } from 'react'
import type { DocumentDraft } from '../../lib/policy/document-draft.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'

export function DraftBar({
  draft,
  status,
  ready,
  onSave,
}: {
  draft: DocumentDraft
  status: ReactNode
  ready: boolean
  onSave(): void
}) {
  const [asking, ask] = useState(false)
  return (
    <div className="sticky bottom-0 z-20 -mx-1 flex flex-wrap items-center justify-between gap-3 rounded-xl border border-line bg-raised px-5 py-3 shadow-float">
      <div className="min-w-0 text-sm" role="status">
        {status}
        {!draft.kept && (
          <p className="text-warn">It is too large for this browser to keep: a reload would lose it.</p>
        )}
      </div>
      <div className="flex gap-2">
        <Button onClick={() => ask(true)} disabled={!draft.dirty}>
          Discard
        </Button>
        <Button variant="primary" onClick={onSave} disabled={!ready}>
          Save…
        </Button>
      </div>
      <Dialog
        open={asking}
        onClose={() => ask(false)}
        title="Discard the draft?"
        description="Your changes are lost. The editor goes back to what is in force."
        footer={
          <>
            <Button onClick={() => ask(false)}>Keep it</Button>
            <Button
              variant="danger"
              onClick={() => {
                draft.begin()
                ask(false)
              }}
            >
              Discard
            </Button>
          </>
        }
      />
    </div>
  )
}
