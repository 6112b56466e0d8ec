import type { ReactNode } from 'react'
import type { Answered } from '../../lib/call.ts'
import type { useUrlTab } from '../../lib/url-tab.ts'
import { SavedNote } from '../../panels/diff/saved-note.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { DraftBadge } from './draft-badge.tsx'

export const documentTabs = ['in-force', 'edit', 'revisions'] as const
type Saved = Answered<'replace_owned_policy'> | Answered<'revise_owned_catalog'>

export function DocumentTabs({
  what,
  tab: [tab, choose],
  dirty,
  saved,
  onDismiss,
  inForce,
  edit,
  revisions,
}: {
  what: 'policy' | 'catalog'
  tab: ReturnType<typeof useUrlTab<(typeof documentTabs)[number]>>
  dirty: boolean
  saved: Saved | null
  onDismiss(): void
  inForce: ReactNode
  /** Null if the person may not change the document. */
  edit: ReactNode
  revisions: ReactNode
}) {
  return (
    <>
      {saved && (
        <div className="mb-5">
          <SavedNote saved={saved} what={what} onClose={onDismiss} />
        </div>
      )}
      <Tabs
        value={edit === null && tab === 'edit' ? 'in-force' : tab}
        onChoose={choose}
        tabs={[
          { name: 'in-force', label: 'In force', panel: inForce },
          ...(edit === null
            ? []
            : [{ name: 'edit' as const, label: <DraftBadge dirty={dirty} />, panel: edit }]),
          { name: 'revisions', label: 'Revisions', panel: revisions },
        ]}
      />
    </>
  )
}
