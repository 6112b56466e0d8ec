import type { ReactNode } from 'react'
import { useCall } from '../../lib/query.tsx'
import { lock, useLock } from '../../lib/session/tab-key.ts'
import { Activity, Building2, KeyRound, ListChecks, Lock, Users } from '../../pictures/icons.ts'
import { Button } from '../../ui/button.tsx'
import { type NavItem, Shell } from '../../ui/layout/shell.tsx'
import { ThemeChoice } from '../../ui/layout/theme-choice.tsx'
import { ForeignText } from '../../ui/text.tsx'
import { signOutOfConsole } from './console-session.ts'

const slowMs = 15_000

export function AdminShell({ children }: { children: ReactNode }) {
  const { bySession } = useLock().opened
  return (
    <Shell
      name="Console"
      home="/"
      entered
      items={useItems()}
      foot={
        <>
          <Opener />
          {!bySession && (
            <p className="text-sm text-soft">Locks on reload, and after 30 minutes without use.</p>
          )}
          <div className="flex items-center justify-between gap-2">
            <Button size="small" onClick={() => (bySession ? void signOutOfConsole() : lock('by_hand'))}>
              <Lock className="size-4" aria-hidden /> {bySession ? 'Sign out' : 'Lock'}
            </Button>
            <ThemeChoice />
          </div>
        </>
      }
    >
      {children}
    </Shell>
  )
}

function Opener() {
  const { name, readsOnly, bySession } = useLock().opened
  const what = bySession ? 'Operator' : 'Admin key'
  return (
    <p className="text-sm">
      <span className="block font-medium">
        <ForeignText text={name ?? ''} />
      </span>
      <span className="text-soft">{readsOnly ? 'On call: reads, and changes nothing' : what}</span>
    </p>
  )
}

/** Counts the unknown outcomes that a person must settle. Every page of the console shows the count. */
function useItems(): NavItem[] {
  const { data } = useCall('read_queue', {}, { every: slowMs })
  return [
    { to: '/', label: 'Queue', icon: Activity, end: true },
    { to: '/jobs', label: 'Jobs', icon: ListChecks, count: data?.jobs.needs_operator },
    { to: '/tenants', label: 'Tenants', icon: Building2 },
    { to: '/operators', label: 'Operators', icon: Users },
    { to: '/admin-keys', label: 'Admin keys', icon: KeyRound },
  ]
}
