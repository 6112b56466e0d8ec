import { Dialog as BaseDialog } from '@base-ui/react/dialog'
import type { ReactNode } from 'react'
import { NavLink, useLocation } from 'react-router'
import { useArrival } from '../../lib/arrival.ts'
import { basePath } from '../../lib/base-path.ts'
import { BookOpen, type IconComponent, Menu, X } from '../../pictures/icons.ts'
import { classes } from '../classes.ts'

const gate = new URL('../../styles/gate.svg', import.meta.url).href

const contentId = 'content'

export interface NavItem {
  to: string
  label: string
  icon: IconComponent
  /** True if the item is active only on exactly its path, not on the pages below. */
  end?: boolean
  count?: number | undefined
}

export interface ShellProps {
  name: string
  home: string
  /** A control above the navigation, such as the choice of the application. */
  place?: ReactNode
  items: readonly NavItem[]
  foot?: ReactNode
  /** True if the person came to this page through a form, so that the heading takes the focus. */
  entered?: boolean
  children: ReactNode
}

/** Frames a page. Wide screens show the navigation beside the page, narrow ones behind a button. */
export function Shell({ name, home, place, items, foot, entered = false, children }: ShellProps) {
  useArrival(contentId, entered)
  const navigation = <Navigation name={name} home={home} place={place} items={items} foot={foot} />
  return (
    <div className="min-h-dvh lg:grid lg:grid-cols-[16.5rem_minmax(0,1fr)]">
      <a
        href={`#${contentId}`}
        className="sr-only rounded-lg bg-accent px-4 py-2 text-accent-ink focus:not-sr-only focus:fixed focus:top-3 focus:left-3 focus:z-60"
      >
        Skip to content
      </a>
      <aside className="sticky top-0 hidden h-dvh border-r border-line bg-surface lg:block">
        {navigation}
      </aside>
      <NarrowBar name={name} home={home}>
        {navigation}
      </NarrowBar>
      <main
        id={contentId}
        tabIndex={-1}
        className="mx-auto w-full max-w-6xl px-4 py-6 outline-none sm:px-8 sm:py-8"
      >
        {children}
      </main>
    </div>
  )
}

function Navigation({ name, home, place, items, foot }: Omit<ShellProps, 'children' | 'entered'>) {
  return (
    <div className="flex h-full flex-col gap-5 overflow-y-auto p-4">
      <Brand name={name} home={home} />
      {place}
      <nav aria-label="Main" className="flex flex-col gap-0.5">
        {items.map(item => (
          <Item key={item.to} {...item} />
        ))}
      </nav>
      <div className="mt-auto flex flex-col gap-3">
        <DocumentsLink />
        {foot}
      </div>
    </div>
  )
}

function Item({ to, label, icon: Icon, end = false, count = 0 }: NavItem) {
  return (
    <NavLink
      to={to}
      end={end}
      className={({ isActive }) =>
        classes(
          'flex items-center gap-3 rounded-lg px-3 py-2 text-[0.9375rem] font-medium transition-colors',
          isActive ? 'bg-accent-wash text-accent' : 'text-soft hover:bg-sunken hover:text-ink',
        )
      }
    >
      <Icon className="size-[1.125rem]" aria-hidden />
      {label}
      {count > 0 && (
        <span className="ml-auto rounded-full bg-warn-wash px-2 text-xs leading-5 font-semibold text-warn">
          {count > 199 ? '200+' : count}
          <span className="sr-only"> waiting</span>
        </span>
      )}
    </NavLink>
  )
}

/** Opens the documents in another tab, so that text typed on this page is not lost. */
export function DocumentsLink() {
  return (
    <a
      href={`${basePath}/docs`}
      target="_blank"
      rel="noopener"
      className="flex items-center gap-3 rounded-lg px-3 py-2 text-[0.9375rem] font-medium text-soft transition-colors hover:bg-sunken hover:text-ink"
    >
      <BookOpen className="size-[1.125rem]" aria-hidden />
      Documents
    </a>
  )
}

export function Brand({ name, home }: { name: string; home: string }) {
  return (
    <NavLink
      to={home}
      className="flex items-center gap-2.5 rounded-lg px-2 py-1 text-[1.0625rem] font-semibold tracking-tight"
    >
      <img src={gate} alt="" width={28} height={28} />
      {name}
    </NavLink>
  )
}

function NarrowBar({ name, home, children }: { name: string; home: string; children: ReactNode }) {
  const { pathname } = useLocation()
  return (
    <header className="sticky top-0 z-30 flex items-center justify-between border-b border-line bg-surface/95 px-3 py-2 backdrop-blur lg:hidden">
      <Brand name={name} home={home} />
      {/* The key resets the drawer, so that it is closed after a navigation. */}
      <BaseDialog.Root key={pathname}>
        <BaseDialog.Trigger aria-label="Menu" className="rounded-lg p-2 text-soft hover:bg-sunken">
          <Menu className="size-5" aria-hidden />
        </BaseDialog.Trigger>
        <BaseDialog.Portal>
          <BaseDialog.Backdrop className="fixed inset-0 z-40 bg-black/45" />
          <BaseDialog.Popup className="fixed inset-y-0 left-0 z-50 w-[min(18rem,85vw)] border-r border-line bg-surface shadow-float">
            <BaseDialog.Title className="sr-only">Menu</BaseDialog.Title>
            <BaseDialog.Close
              aria-label="Close"
              className="absolute top-4 right-3 rounded-lg p-1.5 text-soft hover:bg-sunken"
            >
              <X className="size-5" aria-hidden />
            </BaseDialog.Close>
            {children}
          </BaseDialog.Popup>
        </BaseDialog.Portal>
      </BaseDialog.Root>
    </header>
  )
}
