import '../styles/page.css'
import { call } from '../lib/call.ts'
import { startTabKey } from '../lib/session/tab-key.ts'
import { drawPage } from '../ui/layout/frame.tsx'
import { AdminRoutes } from './routes.tsx'
import { resumeConsole } from './shell/console-session.ts'

startTabKey({
  headers: key => ({ 'x-service-admin-key': key }),
  probe: async headers => {
    const { name, scope } = await call('read_own_admin_key', { headers })
    return { name, readsOnly: scope === 'on_call', bySession: false }
  },
})
void resumeConsole()
drawPage('/admin', <AdminRoutes />)
