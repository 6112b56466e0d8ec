import { useMemo } from 'react'
import type { PolicyState } from '../../../../shared/contract/configuration/tenant.ts'
import type { DocumentDraft } from '../../lib/policy/document-draft.ts'
import { draftText } from '../../lib/policy/read-draft.ts'
import { usePages } from '../../lib/query.tsx'
import type { ComparedRevision } from '../../panels/diff/revision-compare.tsx'
import { RevisionsTab } from './revisions-tab.tsx'

export function PolicyRevisions({
  tenantId,
  ...rest
}: {
  tenantId: string
  draft: DocumentDraft
  /** Null if the person may not change the policy. */
  onDraft: ((text: string) => void) | null
}) {
  const pages = usePages('list_owned_policy_revisions', {
    params: { tenant_id: tenantId },
    query: { limit: '20' },
  })
  const revisions = useMemo(
    () => pages.data?.pages.flatMap(page => page.revisions.map(compared)),
    [pages.data],
  )
  return <RevisionsTab what="policy" pages={pages} revisions={revisions} {...rest} />
}

function compared({ policy, policy_hash: hash, ...meta }: PolicyState): ComparedRevision {
  return { ...meta, hash, text: draftText(policy) }
}
