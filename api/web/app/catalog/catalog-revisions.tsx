import { useMemo } from 'react'
import type { CatalogRevision } from '../../../../shared/contract/configuration/catalog.ts'
import type { DocumentDraft } from '../../lib/policy/document-draft.ts'
import { draftText } from '../../lib/policy/read-draft.ts'
import { usePages } from '../../lib/query.tsx'
import type { ComparedRevision } from '../../panels/diff/revision-compare.tsx'
import { RevisionsTab } from '../policy/revisions-tab.tsx'

export function CatalogRevisions({
  tenantId,
  ...rest
}: {
  tenantId: string
  draft: DocumentDraft
  /** Null if the person may not change the catalog. */
  onDraft: ((text: string) => void) | null
}) {
  const pages = usePages('list_owned_catalog_revisions', {
    params: { tenant_id: tenantId },
    query: { limit: '20' },
  })
  const revisions = useMemo(
    () => pages.data?.pages.flatMap(page => page.revisions.map(compared)),
    [pages.data],
  )
  return <RevisionsTab what="catalog" pages={pages} revisions={revisions} {...rest} />
}

function compared({ catalog, catalog_hash: hash, ...meta }: CatalogRevision): ComparedRevision {
  return { ...meta, hash, text: draftText(catalog) }
}
