import { Fragment, type ReactNode } from 'react'
import { Link } from 'react-router'
import { ChevronRight } from '../../pictures/icons.ts'
import { useWaiting, useWindowTitle } from './window-sign.ts'

export interface PageProps {
  title: string
  /** The number of actions that wait for the person. The window's title and icon show the number. */
  count?: number
  lead?: ReactNode
  /** Breadcrumb links to the pages above this page, beginning with the outermost. */
  trail?: readonly { to: string; label: string }[]
  actions?: ReactNode
  children: ReactNode
}

export function Page({ title, count = 0, lead, trail = [], actions, children }: PageProps) {
  useWindowTitle(title)
  useWaiting(count)
  return (
    <>
      <header className="mb-6 flex flex-wrap items-end justify-between gap-x-6 gap-y-3">
        <div className="min-w-0">
          {trail.length > 0 && (
            <nav aria-label="Breadcrumb" className="mb-1 flex flex-wrap items-center gap-1 text-sm text-soft">
              {trail.map(({ to, label }) => (
                <Fragment key={to}>
                  <Link
                    to={to}
                    className="inline-flex min-h-6 items-center rounded hover:text-ink hover:underline"
                  >
                    {label}
                  </Link>
                  <ChevronRight className="size-3.5" aria-hidden />
                </Fragment>
              ))}
            </nav>
          )}
          <h1 tabIndex={-1} className="text-2xl font-semibold tracking-tight break-words outline-none">
            {title}
          </h1>
          {lead && <p className="mt-1 max-w-2xl text-soft">{lead}</p>}
        </div>
        {actions && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
      </header>
      {children}
    </>
  )
}
