import '../styles/page.css'
import { drawPage } from '../ui/layout/frame.tsx'
import { AdminRoutes } from './routes.tsx'
import { startConsole } from './shell/admin-key.ts'

startConsole()
drawPage('/admin', <AdminRoutes />)
