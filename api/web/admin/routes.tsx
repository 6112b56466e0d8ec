import { Navigate, Outlet, Route, Routes } from 'react-router'
import { ActionPage } from './action-page.tsx'
import { useLock } from './admin-key.ts'
import { AdminKeysPage } from './admin-keys-page.tsx'
import { AdminShell } from './admin-shell.tsx'
import { JobsPage } from './jobs-page.tsx'
import { QueuePage } from './queue-page.tsx'
import { TenantPage } from './tenant-page.tsx'
import { TenantsPage } from './tenants-page.tsx'
import { UnlockPage } from './unlock-page.tsx'

/** Every place of `/admin`; a locked console shows none of them, and comes back to the same one. */
export function AdminRoutes() {
  const { locked, reason } = useLock()
  if (locked) return <UnlockPage reason={reason} />
  return (
    <Routes>
      <Route element={<Inside />}>
        <Route index element={<QueuePage />} />
        <Route path="/jobs" element={<JobsPage />} />
        <Route path="/tenants" element={<TenantsPage />} />
        <Route path="/tenants/:tenantId" element={<TenantPage />} />
        <Route path="/tenants/:tenantId/actions/:actionId" element={<ActionPage />} />
        <Route path="/tenants/:tenantId/:tab" element={<TenantPage />} />
        <Route path="/admin-keys" element={<AdminKeysPage />} />
        <Route path="*" element={<Navigate to="/" replace />} />
      </Route>
    </Routes>
  )
}

function Inside() {
  return (
    <AdminShell>
      <Outlet />
    </AdminShell>
  )
}
