import { Navigate, Route, Routes } from 'react-router'
import { useLock } from '../lib/session/tab-key.ts'
import { ApprovePage } from './approve-page.tsx'
import { ApproverUnlock } from './approver-unlock.tsx'

/**
 * Routes `/approve`: the list, and one action, as `review_url` names it. An unlocked page keeps its address, so
 * that it shows the action that was linked.
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
