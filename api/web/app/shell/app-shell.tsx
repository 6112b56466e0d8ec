import type { ReactNode } from 'react'
import { Link, useParams } from 'react-router'
import { ownTenant, useLive } from '../../lib/live.ts'
import { usePages } from '../../lib/query.tsx'
import { useSession } from '../../lib/session.ts'
import { LiveSign } from '../../panels/approvals/live-sign.tsx'
import {
  BookOpen,
  ClipboardCheck,
  History,
  KeyRound,
  LayoutGrid,
  PlugZap,
  Rocket,
  ScrollText,
  Users,
} from '../../pictures/icons.ts'
import { type NavItem, Shell } from '../../ui/layout/shell.tsx'
import { ThemeChoice } from '../../ui/theme-choice.tsx'
import { SignInAgain } from '../account/sign-in-again.tsx'
import { TenantChoice } from './tenant-choice.tsx'

/** The frame of `/app`: the application one is in, its places, and who is signed in. */
export function AppShell({ children }: { children: ReactNode }) {
  const { tenantId } = useParams()
  const session = useSession()
  const liveness = useLive(tenantId === undefined ? undefined : ownTenant(tenantId))
  return (
    <>
      <Shell
        name="Action Gate"
        home="/applications"
        place={<TenantChoice tenantId={tenantId} />}
        items={useItems(tenantId, liveness === 'polling')}
        foot={
          <>
            {tenantId && <LiveSign liveness={liveness} />}
            <div className="flex items-center justify-between gap-2">
              <Link
                to="/account"
                className="min-w-0 truncate rounded text-sm text-soft hover:text-ink hover:underline"
              >
                {'profile' in session ? session.profile.account.email : ''}
              </Link>
              <ThemeChoice />
            </div>
          </>
        }
      >
        {children}
      </Shell>
      {session.phase === 'expired' && (
        <SignInAgain email={session.profile.account.email} elsewhere={session.profile.identity !== null} />
      )}
    </>
  )
}

function useItems(tenantId: string | undefined, polling: boolean): NavItem[] {
  const held = usePages(
    'list_owned_approvals',
    { params: { tenant_id: tenantId ?? '' }, query: { limit: '200' } },
    { enabled: tenantId !== undefined, every: polling ? 5_000 : false },
  )
  const applications = { to: '/applications', label: 'Applications', icon: LayoutGrid }
  if (tenantId === undefined) return [applications]
  const at = `/a/${tenantId}`
  return [
    { to: at, label: 'Overview', icon: Rocket, end: true },
    {
      to: `${at}/approvals`,
      label: 'Approvals',
      icon: ClipboardCheck,
      count: held.data?.pages[0]?.approvals.length,
    },
    { to: `${at}/history`, label: 'History', icon: History },
    { to: `${at}/tools`, label: 'Tools', icon: PlugZap },
    { to: `${at}/policy`, label: 'Policy', icon: ScrollText },
    { to: `${at}/catalog`, label: 'Catalog', icon: BookOpen },
    { to: `${at}/routes`, label: 'Routes', icon: Users },
    { to: `${at}/keys`, label: 'API keys', icon: KeyRound },
    applications,
  ]
}
