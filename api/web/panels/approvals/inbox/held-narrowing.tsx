import { useReducer, useState } from 'react'
import type { InboxAction } from '../../../../../shared/contract/action/inbox-schema.ts'
import { useWide } from '../../../lib/wide.ts'
import { Button } from '../../../ui/button.tsx'
import { useDesk } from '../desk.ts'
import { HeldFilter } from './held-filter.tsx'
import { HeldGroups } from './held-groups.tsx'
import { SavedViews } from './saved-views.tsx'
import { filtersOf, type Narrowed } from './use-held.ts'

export interface HeldNarrowingProps {
  value: Narrowed
  held: readonly InboxAction[]
  polling: boolean
  onChange(value: Narrowed): void
}

/** Filters the list by a saved view, by fields or by a group. On narrow screens a button shows the controls. */
export function HeldNarrowing({ value, held, polling, onChange }: HeldNarrowingProps) {
  const { savesViews } = useDesk()
  // A new view remounts the filter, because text typed earlier would replace the view's search.
  const [filter, renewFilter] = useReducer((count: number) => count + 1, 0)
  const [opened, open] = useState(false)
  const wide = useWide()
  const chosen = Object.keys(filtersOf(value)).length
  return (
    <>
      {!wide && (
        <div className="border-b border-line px-4 py-1.5">
          <Button
            size="small"
            variant="quiet"
            aria-expanded={opened}
            aria-controls="narrowing"
            onClick={() => open(!opened)}
          >
            {chosen === 0 ? 'Filters' : `Filters (${chosen})`}
          </Button>
        </div>
      )}
      {/* The filters stay mounted while hidden, so that typed text is still searched for. */}
      <div id="narrowing" hidden={!wide && !opened}>
        {savesViews && (
          <SavedViews
            value={value}
            onChange={view => {
              renewFilter()
              onChange(view)
            }}
          />
        )}
        <HeldFilter key={filter} value={value} held={held} onChange={onChange} />
        <HeldGroups value={value} polling={polling} onChange={onChange} />
      </div>
    </>
  )
}
