import '../styles/page.css'
import { call } from '../lib/call.ts'
import { startTabKey } from '../lib/session/tab-key.ts'
import { drawPage } from '../ui/layout/frame.tsx'
import { ApproveRoutes } from './routes.tsx'

startTabKey({
  headers: key => ({ authorization: `Bearer ${key}` }),
  probe: async headers => {
    await call('list_approvals', { query: { limit: '1' }, headers })
    return { name: null, readsOnly: false, bySession: false }
  },
})
drawPage('/approve', <ApproveRoutes />)
