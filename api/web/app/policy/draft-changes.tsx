import { useState } from 'react'
import type { Answer } from '../../lib/answer.ts'
import type { DocumentDraft, InForce } from '../../lib/policy/document-draft.ts'
import { AccessDiff } from '../../panels/diff/access-diff.tsx'
import { TextDiff } from '../../panels/diff/text-diff.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { ProblemNote, Skeleton } from '../../ui/state.tsx'

export function DraftChanges({
  draft,
  inForce,
  diff,
  refused,
}: {
  draft: DocumentDraft
  inForce: InForce
  diff: Answer<'diff_owned_policy'>
  /** True if the service rejects the draft. The editor then shows the errors. */
  refused: boolean
}) {
  const hint =
    inForce.revision === 0
      ? 'Compared with no catalog at all.'
      : `Compared with revision ${inForce.revision}, which is in force.`
  return (
    <Card
      title="What the draft changes"
      hint={hint}
      actions={diff.asking && diff.data ? <Badge tone="info">Comparing…</Badge> : undefined}
    >
      {draft.dirty ? (
        <div className="flex flex-col items-start gap-4">
          <div className="flex w-full flex-col gap-4" aria-live="polite" aria-busy={diff.asking}>
            {refused ? (
              <p className="text-soft">It is compared as soon as the draft is valid.</p>
            ) : (
              <DiffAnswer diff={diff} />
            )}
          </div>
          <Lines draft={draft} inForce={inForce} />
        </div>
      ) : (
        <p className="text-soft">Nothing yet. Change something above to see what it does.</p>
      )}
    </Card>
  )
}

/** Shows the latest comparison. `shown` opens the first example of each kind of change. */
export function DiffAnswer({
  diff: { data, error, asking },
  shown = false,
}: {
  diff: Answer<'diff_owned_policy'>
  shown?: boolean
}) {
  return (
    <>
      {asking && !data && <Skeleton rows={4} className="p-0" />}
      {error && <ProblemNote error={error} />}
      {data && <AccessDiff diff={data} shown={shown} />}
    </>
  )
}

/** Compares the texts line by line only on request, because comparing long documents takes a while. */
function Lines({ draft, inForce }: { draft: DocumentDraft; inForce: InForce }) {
  const [open, setOpen] = useState(false)
  return (
    <>
      <Button size="small" aria-expanded={open} onClick={() => setOpen(!open)}>
        {open ? 'Hide the lines that differ' : 'Show the lines that differ'}
      </Button>
      {open && (
        <div className="w-full min-w-0">
          <TextDiff
            before={inForce.text}
            after={draft.text}
            labels={[inForce.revision === 0 ? 'Nothing' : `Revision ${inForce.revision}`, 'Draft']}
          />
        </div>
      )}
    </>
  )
}
