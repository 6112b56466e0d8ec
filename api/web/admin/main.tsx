import '../styles/page.css'
import { drawPage } from '../lib/frame.tsx'
import { startConsole } from './admin-key.ts'
import { AdminRoutes } from './routes.tsx'

startConsole()
drawPage('/admin', <AdminRoutes />)
