import { useReducer } from 'react'
import type { InboxAction } from '../../../../../shared/contract/action/inbox-schema.ts'
import { useDesk } from '../desk.ts'
import { HeldFilter } from './held-filter.tsx'
import { HeldGroups } from './held-groups.tsx'
import { SavedViews } from './saved-views.tsx'
import type { Narrowed } from './use-held.ts'

export interface HeldNarrowingProps {
  value: Narrowed
  held: readonly InboxAction[]
  polling: boolean
  onChange(value: Narrowed): void
}

/** What of the list is shown: by a saved view, by filters, by a group. */
export function HeldNarrowing({ value, held, polling, onChange }: HeldNarrowingProps) {
  const { savesViews } = useDesk()
  // A view brings a search of its own, which what was typed before must not replace.
  const [filter, renewFilter] = useReducer((count: number) => count + 1, 0)
  return (
    <>
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
    </>
  )
}
