import { useParams } from 'react-router'
import { basePath } from '../lib/base-path.ts'
import type { LockReason } from '../lib/session/tab-key.ts'
import { UnlockPage } from '../panels/keys/unlock-page.tsx'

/**
 * Unlocks the page with an approver key. A link opens the same action in the dashboard for people with an account.
 */
export function ApproverUnlock({ reason }: { reason: LockReason }) {
  const { tenantId, actionId } = useParams()
  const dashboard =
    tenantId === undefined || actionId === undefined ? '/app' : `/app/a/${tenantId}/approvals/${actionId}`
  return (
    <UnlockPage
      reason={reason}
      place="page"
      keyName="Approver key"
      prefix="apk_"
      title="Decide about an action"
      lead="An agent asked for something that a person has to decide. This page opens with an approver key."
      button="Open"
    >
      <a href={`${basePath}${dashboard}`} className="font-medium text-accent underline underline-offset-2">
        Decide in the dashboard
      </a>{' '}
      if you sign in there.
    </UnlockPage>
  )
}
