import type { ReactNode } from 'react'
import { classes } from '../classes.ts'
import { Brand, DocumentsLink } from './shell.tsx'
import { ThemeChoice } from './theme-choice.tsx'
import { useWindowTitle } from './window-sign.ts'

/** Frames the pages of visitors who are not signed in. */
export function OutsideFrame({
  home = '/login',
  title,
  lead,
  children,
  foot,
  wide = false,
}: {
  home?: string
  title: string
  lead: ReactNode
  children: ReactNode
  foot?: ReactNode
  wide?: boolean
}) {
  useWindowTitle(title)
  return (
    <div className="flex min-h-dvh flex-col">
      <header className="mx-auto flex w-full max-w-5xl items-center justify-between px-4 py-4 sm:px-8">
        <Brand name="Action Gate" home={home} />
        <div className="flex items-center gap-2">
          <DocumentsLink />
          <ThemeChoice />
        </div>
      </header>
      <main
        className={classes(
          'mx-auto flex w-full flex-1 flex-col justify-center px-4 pt-4 pb-24',
          wide ? 'max-w-xl' : 'max-w-md',
        )}
      >
        <h1 className="text-2xl font-semibold tracking-tight">{title}</h1>
        <p className="mt-1 mb-6 text-soft">{lead}</p>
        <div className="rounded-2xl border border-line bg-surface p-5 shadow-card sm:p-6">{children}</div>
        {foot && <div className="mt-6 text-center text-sm text-soft">{foot}</div>}
      </main>
    </div>
  )
}
