import '../styles/page.css'
import { drawPage } from '../lib/frame.tsx'
import { startSession } from '../lib/session.ts'
import { AppRoutes } from './routes.tsx'

startSession()
drawPage('/app', <AppRoutes />)
