import '../styles/page.css'
import { drawPage } from '../ui/layout/frame.tsx'
import { startSession } from '../lib/session.ts'
import { AppRoutes } from './routes.tsx'

startSession()
drawPage('/app', <AppRoutes />)
