import type { ReactNode } from 'react'
import { Link, useLocation, useParams } from 'react-router'
import type { EndpointName } from '../../../../shared/contract/endpoints/endpoints.ts'
import { ownTenant, useLive } from '../../lib/live.ts'
import { waitForYou } from '../../lib/policy/route-words.ts'
import { usePages } from '../../lib/query.tsx'
import { useDecidesSomewhere, useMay } from '../../lib/session/may.ts'
import { useSession } from '../../lib/session/session.ts'
import { heldPage } from '../../panels/approvals/inbox/use-held.ts'
import { LiveSign } from '../../panels/approvals/live-sign.tsx'
import {
  Bell,
  BookOpen,
  ClipboardCheck,
  History,
  Hourglass,
  Inbox,
  KeyRound,
  LayoutGrid,
  PlugZap,
  Rocket,
  ScrollText,
  Users,
} from '../../pictures/icons.ts'
import { type NavItem, Shell } from '../../ui/layout/shell.tsx'
import { ThemeChoice } from '../../ui/layout/theme-choice.tsx'
import { useWaiting } from '../../ui/layout/window-sign.ts'
import { SignInAgain } from '../account/sign-in-again.tsx'
import { TenantChoice } from './tenant-choice.tsx'

export function AppShell({ children }: { children: ReactNode }) {
  const { tenantId: named } = useParams()
  // The list at `/approvals` covers all applications, so that no application is chosen there.
  const tenantId = useLocation().pathname.startsWith('/approvals') ? undefined : named
  const session = useSession()
  const liveness = useLive(tenantId === undefined ? undefined : ownTenant(tenantId))
  const held = useHeldHere(tenantId, liveness === 'polling')
  useWaiting(useMay()('approve_owned_action') ? held.waiting - held.forOthers : 0)
  return (
    <>
      <Shell
        name="Action Gate"
        home="/applications"
        place={<TenantChoice tenantId={tenantId} />}
        items={useItems(tenantId, held.waiting)}
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

/** Counts the held actions. Also counts those on the first page that only other people may decide. */
function useHeldHere(tenantId: string | undefined, polling: boolean) {
  const may = useMay()
  const held = usePages(
    'owned_inbox',
    { query: { limit: heldPage, tenant_id: tenantId ?? '' } },
    {
      enabled: tenantId !== undefined && may('list_owned_approvals'),
      every: polling ? 5_000 : false,
    },
  )
  const pages = held.data?.pages ?? []
  const shown = pages.flatMap(({ approvals }) => approvals)
  return { waiting: pages.at(-1)?.waiting ?? 0, forOthers: shown.length - waitForYou(shown) }
}

function useItems(tenantId: string | undefined, held: number): NavItem[] {
  const may = useMay()
  const decides = useDecidesSomewhere()
  const applications = { to: '/applications', label: 'Applications', icon: LayoutGrid }
  const people = may('list_members') ? [{ to: '/members', label: 'Members', icon: Users }] : []
  const everywhere = decides ? [{ to: '/approvals', label: 'All approvals', icon: Inbox }] : []
  if (tenantId === undefined) return [applications, ...everywhere, ...people]
  const at = `/a/${tenantId}`
  const when = (name: EndpointName, item: NavItem) => (may(name) ? [item] : [])
  return [
    ...when('list_owned_actions', { to: at, label: 'Overview', icon: Rocket, end: true }),
    ...when('list_owned_approvals', {
      to: `${at}/approvals`,
      label: 'Approvals',
      icon: ClipboardCheck,
      count: held,
    }),
    ...when('list_owned_actions', { to: `${at}/history`, label: 'History', icon: History }),
    ...when('list_owned_tools', { to: `${at}/tools`, label: 'Tools', icon: PlugZap }),
    ...when('read_owned_policy', { to: `${at}/policy`, label: 'Policy', icon: ScrollText }),
    ...when('list_owned_catalog_revisions', { to: `${at}/catalog`, label: 'Catalog', icon: BookOpen }),
    ...when('list_owned_routes', { to: `${at}/routes`, label: 'Routes', icon: Users }),
    ...when('list_owned_grants', { to: `${at}/grants`, label: 'Grants', icon: Hourglass }),
    ...when('list_owned_webhooks', { to: `${at}/notices`, label: 'Notices', icon: Bell }),
    ...when('list_owned_keys', { to: `${at}/keys`, label: 'API keys', icon: KeyRound }),
    applications,
    ...everywhere,
    ...people,
  ]
}
