import { Navigate, Route, Routes } from 'react-router'
import { useLock } from '../lib/session/tab-key.ts'
import { ApprovePage } from './approve-page.tsx'
import { ApproverUnlock } from './approver-unlock.tsx'

/** Every place of `/approve`: the list, and one action, as `review_url` names it. A locked page comes back to the same place. */
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
