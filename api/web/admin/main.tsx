import '../styles/page.css'
import { drawPage } from '../ui/layout/frame.tsx'
import { startConsole } from './shell/admin-key.ts'
import { AdminRoutes } from './routes.tsx'

startConsole()
drawPage('/admin', <AdminRoutes />)
