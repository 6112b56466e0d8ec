import { useState } from 'react'
import { useParams } from 'react-router'
import type { PolicyState } from '../../../../shared/contract/configuration/tenant.ts'
import type { Answered } from '../../lib/call.ts'
import { useDocumentDraft } from '../../lib/policy/document-draft.ts'
import { draftText } from '../../lib/policy/read-draft.ts'
import { useCall } from '../../lib/query.tsx'
import { useMay } from '../../lib/session/may.ts'
import { useUrlTab } from '../../lib/url-tab.ts'
import { Card } from '../../ui/card.tsx'
import { Page } from '../../ui/layout/page.tsx'
import { Reading } from '../../ui/state.tsx'
import { DocumentTabs, documentTabs } from './document-tabs.tsx'
import { PolicyEdit } from './policy-edit.tsx'
import { PolicyInForce } from './policy-in-force.tsx'
import { PolicyRevisions } from './policy-revisions.tsx'

export function PolicyPage() {
  const { tenantId = '' } = useParams()
  const query = useCall('read_owned_policy', { params: { tenant_id: tenantId } })
  return (
    <Page title="Policy" lead="What your agents may ask for, and what waits for a person.">
      {query.data ? (
        <PolicyTabs key={tenantId} tenantId={tenantId} state={query.data} />
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

function PolicyTabs({ tenantId, state }: { tenantId: string; state: PolicyState }) {
  const tab = useUrlTab(documentTabs)
  const [, choose] = tab
  const mayEdit = useMay()('replace_owned_policy')
  const [saved, setSaved] = useState<Answered<'replace_owned_policy'> | null>(null)
  const inForce = { revision: state.revision, text: draftText(state.policy) }
  const draft = useDocumentDraft('policy', tenantId, inForce)
  const onSaved = (answer: Answered<'replace_owned_policy'>): void => {
    setSaved(answer)
    choose('in-force')
  }
  return (
    <DocumentTabs
      what="policy"
      tab={tab}
      dirty={draft.dirty}
      saved={saved}
      onDismiss={() => setSaved(null)}
      inForce={<PolicyInForce state={state} onEdit={mayEdit ? () => choose('edit') : null} />}
      edit={mayEdit ? <PolicyEdit tenantId={tenantId} state={state} draft={draft} onSaved={onSaved} /> : null}
      revisions={
        <PolicyRevisions
          tenantId={tenantId}
          draft={draft}
          onDraft={
            mayEdit
              ? text => {
                  draft.begin(text)
                  choose('edit')
                }
              : null
          }
        />
      }
    />
  )
}
