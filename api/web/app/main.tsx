import '../styles/page.css'
import { startSession } from '../lib/session/session.ts'
import { drawPage } from '../ui/layout/frame.tsx'
import { AppRoutes } from './routes.tsx'

startSession()
drawPage('/app', <AppRoutes />)
