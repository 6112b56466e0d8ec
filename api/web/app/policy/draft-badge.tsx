import { Badge } from '../../ui/badge.tsx'

/** The name of the tab where a document is edited, with a mark while there is a draft. */
export function DraftBadge({ dirty }: { dirty: boolean }) {
  return (
    <span className="inline-flex items-center gap-2">Edit {dirty && <Badge tone="warn">Unsaved</Badge>}</span>
  )
}
