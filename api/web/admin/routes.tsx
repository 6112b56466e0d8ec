import { Navigate, Outlet, Route, Routes } from 'react-router'
import { useLock } from '../lib/session/tab-key.ts'
import { AddToolPage } from '../panels/tools/add-tool-page.tsx'
import { ToolPage } from '../panels/tools/tool-page.tsx'
import { ActionPage } from './actions/action-page.tsx'
import { JobsPage } from './queue/jobs-page.tsx'
import { QueuePage } from './queue/queue-page.tsx'
import { AdminKeysPage } from './shell/admin-keys-page.tsx'
import { AdminShell } from './shell/admin-shell.tsx'
import { ConsoleInvitation, ConsoleSignedIn } from './shell/console-sign-in.tsx'
import { ConsoleUnlock } from './shell/console-unlock.tsx'
import { OperatorsPage } from './shell/operators-page.tsx'
import { OperatorTools } from './tenants/operator-tools.tsx'
import { TenantPage } from './tenants/tenant-page.tsx'
import { TenantsPage } from './tenants/tenants-page.tsx'

/** Routes `/admin`. A locked console keeps its address, so that unlocking leads to the same page. */
export function AdminRoutes() {
  const { locked, reason } = useLock()
  const outside = (
    <>
      <Route path="/invitation" element={<ConsoleInvitation />} />
      <Route path="/signed-in/:issuer" element={<ConsoleSignedIn />} />
    </>
  )
  if (locked)
    return (
      <Routes>
        {outside}
        <Route path="*" element={<ConsoleUnlock reason={reason} />} />
      </Routes>
    )
  return (
    <Routes>
      {outside}
      <Route element={<Inside />}>
        <Route index element={<QueuePage />} />
        <Route path="/jobs" element={<JobsPage />} />
        <Route path="/tenants" element={<TenantsPage />} />
        <Route path="/tenants/:tenantId" element={<TenantPage />} />
        <Route path="/tenants/:tenantId/actions/:actionId" element={<ActionPage />} />
        <Route element={<OperatorTools />}>
          <Route path="/tenants/:tenantId/tools/add" element={<AddToolPage />} />
          <Route path="/tenants/:tenantId/tools/at/:system" element={<ToolPage />} />
        </Route>
        <Route path="/tenants/:tenantId/:tab" element={<TenantPage />} />
        <Route path="/operators" element={<OperatorsPage />} />
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
