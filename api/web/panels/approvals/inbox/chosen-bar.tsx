import { useState } from 'react'
import type { DecisionResults } from '../../../../../shared/contract/action/decision-schema.ts'
import type { InboxAction } from '../../../../../shared/contract/action/inbox-schema.ts'
import { Button } from '../../../ui/button.tsx'
import { BatchDialog } from '../batch-dialog.tsx'
import type { DecisionKind } from '../decision-dialog.tsx'
import type { useSelection } from './use-selection.ts'

export interface ChosenBarProps {
  selection: ReturnType<typeof useSelection>
  held: readonly InboxAction[]
  batch: DecisionKind | undefined
  onBatch(kind: DecisionKind | undefined): void
  onLeft(ids: readonly string[]): void
}

export function ChosenBar({ selection, held, batch, onBatch, onLeft }: ChosenBarProps) {
  const { chosen, full, all, clear } = selection
  if (chosen.length === 0 && batch === undefined)
    return held.length < 2 ? null : (
      <div className="flex items-center justify-between gap-2 border-b border-line px-4 py-1.5 text-[0.8125rem] text-soft">
        What ends soonest is first.
        <Button size="small" variant="quiet" onClick={all}>
          Select all shown
        </Button>
      </div>
    )
  return (
    <div className="flex flex-wrap items-center gap-2 border-b border-line bg-accent-wash px-4 py-2 text-sm">
      <p role="status" className="mr-auto font-medium">
        {chosen.length} selected{full && ', as many as one decision takes'}
      </p>
      <Button size="small" onClick={() => onBatch('approve')}>
        Approve
      </Button>
      <Button size="small" onClick={() => onBatch('reject')}>
        Reject
      </Button>
      <Button size="small" variant="quiet" onClick={clear}>
        Clear
      </Button>
      {batch && (
        <Asked
          kind={batch}
          chosen={chosen}
          onClose={left => {
            onBatch(undefined)
            clear()
            onLeft(left)
          }}
          onCancel={() => onBatch(undefined)}
        />
      )}
    </div>
  )
}

interface AskedProps {
  kind: DecisionKind
  chosen: readonly InboxAction[]
  onClose(left: readonly string[]): void
  onCancel(): void
}

/**
 * Confirms a decision for the actions that were selected at the start. Closing removes the decided actions from
 * the selection.
 */
function Asked({ kind, chosen, onClose, onCancel }: AskedProps) {
  const [actions] = useState(chosen)
  const [results, setResults] = useState<DecisionResults>()
  const left = (results?.results ?? [])
    .filter(({ action_status }) => action_status !== undefined && action_status !== 'pending_approval')
    .map(({ action_id }) => action_id)
  return (
    <BatchDialog
      kind={kind}
      actions={actions}
      onResults={setResults}
      onClose={() => (results ? onClose(left) : onCancel())}
    />
  )
}
