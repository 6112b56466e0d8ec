import { Navigate, Route, Routes } from 'react-router'
import { useLock } from '../lib/session/tab-key.ts'
import { ApprovePage } from './approve-page.tsx'
import { ApproverUnlock } from './approver-unlock.tsx'

/**
 * Routes `/approve`: the list of actions, or the action that a `review_url` names. The address stays the same
 * after unlocking, so that the linked action opens.
 */
export function ApproveRoutes() {
  const { locked, reason } = useLock()
  const page = locked ? <ApproverUnlock reason={reason} /> : <ApprovePage />
  return (
    <Routes>
      <Route index element={page} />
      <Route path="/:tenantId/:actionId" element={page} />
      <Route path="*" element={<Navigate to="/" replace />} />
    </Routes>
  )
}
