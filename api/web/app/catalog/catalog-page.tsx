import { useState } from 'react'
import { useParams } from 'react-router'
import type { CatalogRevision } from '../../../../shared/contract/configuration/catalog.ts'
import type { Answered } from '../../lib/call.ts'
import { useDocumentDraft } from '../../lib/policy/document-draft.ts'
import { draftText } from '../../lib/policy/read-draft.ts'
import { useCall } from '../../lib/query.tsx'
import { useMay } from '../../lib/session/may.ts'
import { useUrlTab } from '../../lib/url-tab.ts'
import { Card } from '../../ui/card.tsx'
import { Page } from '../../ui/layout/page.tsx'
import { Reading } from '../../ui/state.tsx'
import { DocumentTabs, documentTabs } from '../policy/document-tabs.tsx'
import { CatalogEdit } from './catalog-edit.tsx'
import { CatalogInForce } from './catalog-in-force.tsx'
import { CatalogRevisions } from './catalog-revisions.tsx'
import { CatalogStart } from './catalog-start.tsx'

export function CatalogPage() {
  const { tenantId = '' } = useParams()
  const params = { tenant_id: tenantId }
  const query = useCall('list_owned_catalog_revisions', { params, query: { limit: '1' } })
  return (
    <Page
      title="Catalog"
      lead="What each operation does, how far it can be undone, and how risky it is at least."
    >
      {query.data ? (
        <CatalogTabs key={tenantId} tenantId={tenantId} state={query.data.revisions[0] ?? null} />
      ) : (
        <Card padded={false}>
          <Reading query={query} rows={9}>
            {() => null}
          </Reading>
        </Card>
      )}
    </Page>
  )
}

const noCatalog = { revision: 0, text: draftText({ operations: [] }) }

function CatalogTabs({ tenantId, state }: { tenantId: string; state: CatalogRevision | null }) {
  const tab = useUrlTab(documentTabs)
  const [, choose] = tab
  const mayEdit = useMay()('revise_owned_catalog')
  const [saved, setSaved] = useState<Answered<'revise_owned_catalog'> | null>(null)
  const inForce = state ? { revision: state.revision, text: draftText(state.catalog) } : noCatalog
  const draft = useDocumentDraft('catalog', tenantId, inForce)
  const begin = (text: string): void => {
    draft.begin(text)
    choose('edit')
  }
  const onSaved = (answer: Answered<'revise_owned_catalog'>): void => {
    setSaved(answer)
    choose('in-force')
  }
  const first = state ? (
    <CatalogInForce state={state} onEdit={mayEdit ? () => choose('edit') : null} />
  ) : (
    <CatalogStart
      tenantId={tenantId}
      dirty={draft.dirty}
      onBegin={begin}
      onEdit={mayEdit ? () => choose('edit') : null}
    />
  )
  return (
    <DocumentTabs
      what="catalog"
      tab={tab}
      dirty={draft.dirty}
      saved={saved}
      onDismiss={() => setSaved(null)}
      inForce={first}
      edit={
        mayEdit ? (
          <CatalogEdit tenantId={tenantId} state={state} inForce={inForce} draft={draft} onSaved={onSaved} />
        ) : null
      }
      revisions={<CatalogRevisions tenantId={tenantId} draft={draft} onDraft={mayEdit ? begin : null} />}
    />
  )
}
