import { useState } from 'react'
import type { CatalogRevision } from '../../../../shared/contract/configuration/catalog.ts'
import { call } from '../../lib/call.ts'
import { draftText } from '../../lib/policy/read-draft.ts'
import { usePages, useRefresh } from '../../lib/query.tsx'
import { useMay } from '../../lib/session/may.ts'
import { CatalogView } from '../../panels/catalog-view.tsx'
import { SavedNote } from '../../panels/diff/saved-note.tsx'
import { BookOpen } from '../../pictures/icons.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Empty, Reading } from '../../ui/state.tsx'
import { DocumentEditor } from './document-editor.tsx'
import type { DocumentEditorProps, Saved } from './edited-document.ts'
import { InForceCard } from './in-force-card.tsx'
import { type ListedRevision, RevisionList } from './revision-list.tsx'

const touched = ['list_catalog_revisions', 'list_verifications'] as const
const emptyCatalog = draftText({ operations: [] })

export function TenantCatalog({ tenantId }: { tenantId: string }) {
  // The newest revision in this list is the one in force, so that no second request is needed.
  const pages = usePages('list_catalog_revisions', {
    params: { tenant_id: tenantId },
    query: { limit: '20' },
  })
  const [start, setStart] = useState<string | null>(null)
  const [saved, setSaved] = useState<Saved | null>(null)
  const refresh = useRefresh()
  const rows = pages.data?.pages.flatMap(page => page.revisions)
  const current = currentOf(rows?.[0])
  if (start !== null)
    return (
      <DocumentEditor
        what="catalog"
        current={current}
        start={start}
        check={async () => []}
        save={saver(tenantId, () => refresh(touched))}
        onSaved={next => {
          setSaved(next)
          setStart(null)
        }}
        onCancel={() => setStart(null)}
      />
    )
  return (
    <Reading query={{ data: rows, error: pages.error, refetch: pages.refetch }} rows={10}>
      {([inForce]) =>
        inForce ? (
          <div className="flex flex-col gap-6">
            {saved && <SavedNote saved={saved} what="catalog" onClose={() => setSaved(null)} />}
            <InForceCard what="Catalog" revision={inForce.revision} onEdit={() => setStart(current.text)}>
              <CatalogView catalog={inForce.catalog} />
            </InForceCard>
            <RevisionList
              what="catalog"
              query={{ data: rows?.map(listed), error: pages.error, refetch: pages.refetch }}
              pages={pages}
              current={current}
              bringBack={({ revision, text }) => (
                <Button size="small" onClick={() => setStart(text)}>
                  Edit from this<span className="sr-only"> revision {revision}</span>
                </Button>
              )}
            />
          </div>
        ) : (
          <NoCatalog onStart={() => setStart(emptyCatalog)} />
        )
      }
    </Reading>
  )
}

function currentOf(state: CatalogRevision | undefined): { text: string; revision: number } {
  return state ? { text: draftText(state.catalog), revision: state.revision } : { text: '', revision: 0 }
}

/**
 * Saves only if the reviewed revision is still in force. Reads the revisions again even after a failure, since
 * another person may have saved.
 */
function saver(tenantId: string, refresh: () => Promise<void>): DocumentEditorProps['save'] {
  return async (catalog, note, revision) => {
    const params = { tenant_id: tenantId }
    const body = { catalog, ...(note === '' ? {} : { change_note: note }) }
    try {
      if (revision === 0) return await call('create_catalog', { params, body })
      return await call('revise_catalog', { params, body, headers: { 'if-match': `"${revision}"` } })
    } finally {
      await refresh()
    }
  }
}

function NoCatalog({ onStart }: { onStart(): void }) {
  const may = useMay()
  return (
    <Card>
      <Empty icon={BookOpen} title="This tenant has no catalog">
        <p className="mb-4">
          A catalog says what each operation means, which parameters it takes and how risky it is at least.
          Once there is one, operations that are not in it are denied.
        </p>
        {may('create_catalog') && (
          <Button variant="primary" onClick={onStart}>
            Write one
          </Button>
        )}
      </Empty>
    </Card>
  )
}

function listed({ catalog, catalog_hash: hash, ...row }: CatalogRevision): ListedRevision {
  const { revision, author, created_at, change_note } = row
  return { revision, hash, author, created_at, change_note, text: draftText(catalog) }
}
