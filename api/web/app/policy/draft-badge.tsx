import { Badge } from '../../ui/badge.tsx'

export function DraftBadge({ dirty }: { dirty: boolean }) {
  return (
    <span className="inline-flex items-center gap-2">Edit {dirty && <Badge tone="warn">Unsaved</Badge>}</span>
  )
}
