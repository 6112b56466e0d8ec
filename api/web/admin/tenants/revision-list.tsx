import { type ReactNode, useState } from 'react'
import type { Author } from '../../../../shared/contract/configuration/tenant.ts'
import { useReadsOnly } from '../../lib/session/tab-key.ts'
import { TextDiff } from '../../panels/diff/text-diff.tsx'
import { AuthorName } from '../../panels/trace/author.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Digest } from '../../ui/copy-button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { LoadMore, type Paged } from '../../ui/load-more.tsx'
import { Reading } from '../../ui/state.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { CellText } from '../parts/cell-text.tsx'

export interface ListedRevision {
  revision: number
  hash: string
  author: Author
  created_at: string
  change_note: string | null
  text: string
}

export interface RevisionListProps {
  what: 'policy' | 'catalog'
  query: { data: ListedRevision[] | undefined; error: Error | null; refetch(): unknown }
  pages: Paged
  current: { text: string; revision: number }
  bringBack(revision: ListedRevision): ReactNode
}

export function RevisionList({ what, query, pages, current, bringBack }: RevisionListProps) {
  const [compared, setCompared] = useState<ListedRevision | null>(null)
  const readsOnly = useReadsOnly()
  const columns = columnsOf(current.revision, setCompared, readsOnly ? () => null : bringBack)
  return (
    <Card title="Revisions" hint="Newest first; a revision never changes" padded={false}>
      <Reading query={query} rows={4}>
        {rows => (
          <Table
            caption={`Revisions of the ${what}`}
            columns={columns}
            rows={rows}
            keyOf={row => `${row.revision}`}
          />
        )}
      </Reading>
      <LoadMore pages={pages} what="revisions" />
      <Dialog
        open={compared !== null}
        onClose={() => setCompared(null)}
        wide
        title={`Revision ${compared?.revision ?? ''} and what is in force`}
      >
        {compared && (
          <TextDiff
            before={compared.text}
            after={current.text}
            labels={[`Revision ${compared.revision}`, `Revision ${current.revision}, in force`]}
          />
        )}
      </Dialog>
    </Card>
  )
}

function columnsOf(
  inForce: number,
  onCompare: (row: ListedRevision) => void,
  bringBack: RevisionListProps['bringBack'],
): Column<ListedRevision>[] {
  return [
    {
      title: 'Revision',
      cell: row => (
        <span className="inline-flex flex-wrap items-center gap-2 font-medium">
          {row.revision}
          {row.revision === inForce && <Badge tone="good">In force</Badge>}
        </span>
      ),
    },
    { title: 'By', cell: row => <AuthorName author={row.author} /> },
    { title: 'Made', cell: row => <Time at={row.created_at} />, className: 'whitespace-nowrap' },
    {
      title: 'Why',
      cell: row => <CellText text={row.change_note} />,
    },
    {
      title: 'Hash',
      cell: row => <Digest value={row.hash} what={`Hash of revision ${row.revision}`} short={8} />,
    },
    {
      title: 'Do',
      className: 'md:text-right',
      cell: row =>
        row.revision === inForce ? null : (
          <span className="inline-flex flex-wrap justify-end gap-2">
            <Button size="small" onClick={() => onCompare(row)}>
              Compare<span className="sr-only"> revision {row.revision}</span>
            </Button>
            {bringBack(row)}
          </span>
        ),
    },
  ]
}
