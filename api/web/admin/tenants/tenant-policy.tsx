import { useState } from 'react'
import type { PolicyState } from '../../../../shared/contract/configuration/tenant.ts'
import { call } from '../../lib/call.ts'
import { draftText } from '../../lib/policy/read-draft.ts'
import { useCall, usePages, useRefresh } from '../../lib/query.tsx'
import { SavedNote } from '../../panels/diff/saved-note.tsx'
import { PolicyView } from '../../panels/policy-view.tsx'
import { Button } from '../../ui/button.tsx'
import { CodeBlock } from '../../ui/code-block.tsx'
import { Disclosure } from '../../ui/disclosure.tsx'
import { Reading } from '../../ui/state.tsx'
import { DocumentEditor } from './document-editor.tsx'
import type { DocumentEditorProps, Saved } from './edited-document.ts'
import { InForceCard } from './in-force-card.tsx'
import { RestorePolicy } from './restore-policy.tsx'
import { type ListedRevision, RevisionList } from './revision-list.tsx'

const touched = [
  'read_policy',
  'list_tools',
  'list_policy_revisions',
  'list_tenants',
  'list_verifications',
] as const

export function TenantPolicy({ tenantId }: { tenantId: string }) {
  const policy = useCall('read_policy', { params: { tenant_id: tenantId } })
  const tools = useCall('list_tools', { params: { tenant_id: tenantId } })
  const [editing, setEditing] = useState(false)
  const [saved, setSaved] = useState<Saved | null>(null)
  const refresh = useRefresh()
  return (
    <Reading query={policy} rows={10}>
      {state => {
        const current = { text: draftText(state.policy), revision: state.revision }
        if (editing)
          return (
            <DocumentEditor
              what="policy"
              current={current}
              start={current.text}
              check={async draft => (await call('validate_policy', { body: draft })).warnings}
              save={saver(tenantId, () => refresh(touched))}
              onSaved={next => {
                setSaved(next)
                setEditing(false)
              }}
              onCancel={() => setEditing(false)}
            />
          )
        return (
          <div className="flex flex-col gap-6">
            {saved && <SavedNote saved={saved} what="policy" onClose={() => setSaved(null)} />}
            <InForceCard what="Policy" revision={state.revision} onEdit={() => setEditing(true)}>
              <PolicyView policy={state.policy} tools={tools.data?.tools} />
              <div className="mt-5 border-t border-line pt-4">
                <Disclosure label="As JSON">
                  <CodeBlock text={current.text} what="Policy as JSON" />
                </Disclosure>
              </div>
            </InForceCard>
            <Revisions tenantId={tenantId} current={current} onRestored={setSaved} />
          </div>
        )
      }}
    </Reading>
  )
}

/**
 * Saves only if the reviewed revision is still in force. Reads the revisions again even after a failure, since
 * another person may have saved.
 */
function saver(tenantId: string, refresh: () => Promise<void>): DocumentEditorProps['save'] {
  return async (policy, note, revision) => {
    try {
      return await call('replace_policy', {
        params: { tenant_id: tenantId },
        headers: { 'if-match': `"${revision}"` },
        body: { policy, ...(note === '' ? {} : { change_note: note }) },
      })
    } finally {
      await refresh()
    }
  }
}

function Revisions({
  tenantId,
  current,
  onRestored,
}: {
  tenantId: string
  current: { text: string; revision: number }
  onRestored(saved: Saved): void
}) {
  const pages = usePages('list_policy_revisions', { params: { tenant_id: tenantId }, query: { limit: '20' } })
  const [restoring, setRestoring] = useState<number | null>(null)
  const data = pages.data?.pages.flatMap(page => page.revisions.map(listed))
  return (
    <>
      <RevisionList
        what="policy"
        query={{ data, error: pages.error, refetch: pages.refetch }}
        pages={pages}
        current={current}
        bringBack={({ revision }) => (
          <Button size="small" onClick={() => setRestoring(revision)}>
            Roll back<span className="sr-only"> to revision {revision}</span>
          </Button>
        )}
      />
      <RestorePolicy
        tenantId={tenantId}
        revision={restoring}
        next={current.revision + 1}
        onRestored={onRestored}
        onClose={() => setRestoring(null)}
      />
    </>
  )
}

function listed({ policy, policy_hash: hash, ...row }: PolicyState): ListedRevision {
  const { revision, author, created_at, change_note } = row
  return { revision, hash, author, created_at, change_note, text: draftText(policy) }
}
