import type { ReactNode } from 'react'
import { useReadsOnly } from '../../lib/session/tab-key.ts'
import { Pencil } from '../../pictures/icons.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'

export function InForceCard({
  what,
  revision,
  onEdit,
  children,
}: {
  what: 'Policy' | 'Catalog'
  revision: number
  onEdit(): void
  children: ReactNode
}) {
  const readsOnly = useReadsOnly()
  return (
    <Card
      title={`${what} in force: revision ${revision}`}
      actions={
        readsOnly || (
          <Button size="small" onClick={onEdit}>
            <Pencil className="size-4" aria-hidden /> Edit
          </Button>
        )
      }
    >
      {children}
    </Card>
  )
}
