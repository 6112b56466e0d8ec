import { CSPProvider } from '@base-ui/react/csp-provider'
import { type ReactNode, StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { BrowserRouter } from 'react-router'
import { basePath } from '../../lib/base-path.ts'
import { QueryProvider } from '../../lib/query.tsx'
import { applyTheme } from '../../lib/theme/theme.ts'
import { ToastProvider } from '../toast.tsx'

/**
 * Draws a page within its providers. The content security policy rejects style elements, so that none are written.
 * A changed address shows at once, because a field bound to the address would otherwise return to its old value.
 */
export function drawPage(basename: string, page: ReactNode): void {
  applyTheme()
  const root = document.getElementById('root')
  if (!root) throw new Error('the page has no root')
  createRoot(root).render(
    <StrictMode>
      <CSPProvider disableStyleElements>
        <QueryProvider>
          <ToastProvider>
            <BrowserRouter basename={`${basePath}${basename}`} useTransitions={false}>
              {page}
            </BrowserRouter>
          </ToastProvider>
        </QueryProvider>
      </CSPProvider>
    </StrictMode>,
  )
}
