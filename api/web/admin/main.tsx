import '../styles/page.css'
import { call } from '../lib/call.ts'
import { startTabKey } from '../lib/session/tab-key.ts'
import { drawPage } from '../ui/layout/frame.tsx'
import { AdminRoutes } from './routes.tsx'

startTabKey({
  headers: key => ({ 'x-service-admin-key': key }),
  probe: headers => call('list_tenants', { query: { limit: '1' }, headers }),
})
drawPage('/admin', <AdminRoutes />)
