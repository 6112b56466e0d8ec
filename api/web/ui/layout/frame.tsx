import { CSPProvider } from '@base-ui/react/csp-provider'
import { type ReactNode, StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { BrowserRouter } from 'react-router'
import { basePath } from '../../lib/base-path.ts'
import { QueryProvider } from '../../lib/query.tsx'
import { applyTheme } from '../../lib/theme/theme.ts'
import { ToastProvider } from '../toast.tsx'

/**
 * Draw a page: what every page has around it. Nothing of it writes style elements, which the policy refuses. A change of the
 * address is shown at once: a field whose value the address holds would else be set back to the value before, in the middle
 * of a date.
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
