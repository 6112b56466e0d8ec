import type { ReactNode } from 'react'
import { Navigate, Outlet, Route, Routes, useLocation } from 'react-router'
import { useSession } from '../lib/session/session.ts'
import { laterPage } from '../ui/layout/later-page.tsx'
import { OutsideFrame } from '../ui/layout/outside-frame.tsx'
import { ProblemNote, Skeleton } from '../ui/state.tsx'
import { AccountPage } from './account/account-page.tsx'
import { ForgotPage } from './account/forgot-page.tsx'
import { isOwnPath } from './account/issuer-buttons.tsx'
import { ResetPage } from './account/reset-page.tsx'
import { SignInPage } from './account/sign-in-page.tsx'
import { SignedInPage } from './account/signed-in-page.tsx'
import { AllApprovalsPage } from './approvals/all-approvals-page.tsx'
import { ApprovalsPage } from './approvals/approvals-page.tsx'
import { HistoryPage } from './history/history-page.tsx'
import { TracePage } from './history/trace-page.tsx'
import { KeysPage } from './keys/keys-page.tsx'
import { InvitationPage } from './members/invitation-page.tsx'
import { MembersPage } from './members/members-page.tsx'
import { ApplicationsPage } from './onboarding/applications-page.tsx'
import { SignUpPage } from './onboarding/sign-up-page.tsx'
import { AppShell } from './shell/app-shell.tsx'
import { OverviewPage } from './shell/overview-page.tsx'
import { OwnerTools, OwnerToolsPage } from './tools/owner-tools.tsx'

/** These set-up pages are loaded on demand, because most visits open none of them. */
const AddToolPage = laterPage(async () => (await import('../panels/tools/add-tool-page.tsx')).AddToolPage)
const ToolPage = laterPage(async () => (await import('../panels/tools/tool-page.tsx')).ToolPage)
const CatalogPage = laterPage(async () => (await import('./catalog/catalog-page.tsx')).CatalogPage)
const GrantsPage = laterPage(async () => (await import('./grants/grants-page.tsx')).GrantsPage)
const NoticesPage = laterPage(async () => (await import('./notices/notices-page.tsx')).NoticesPage)
const PolicyPage = laterPage(async () => (await import('./policy/policy-page.tsx')).PolicyPage)
const RoutesPage = laterPage(async () => (await import('./review/routes-page.tsx')).RoutesPage)

export function AppRoutes() {
  return (
    <Routes>
      <Route path="/login" element={<Outside page={<SignInPage />} />} />
      <Route path="/signup" element={<Outside page={<SignUpPage />} />} />
      <Route path="/forgot" element={<Outside page={<ForgotPage />} />} />
      <Route path="/reset" element={<ResetPage />} />
      <Route path="/invitation" element={<Invited />} />
      <Route path="/signed-in/:issuer" element={<SignedInPage />} />
      <Route element={<Inside />}>
        <Route index element={<Navigate to="/applications" replace />} />
        <Route path="/applications" element={<ApplicationsPage />} />
        <Route path="/approvals" element={<AllApprovalsPage />} />
        <Route path="/approvals/:tenantId/:actionId" element={<AllApprovalsPage />} />
        <Route path="/members" element={<MembersPage />} />
        <Route path="/account" element={<AccountPage />} />
        <Route path="/a/:tenantId">
          <Route index element={<OverviewPage />} />
          <Route path="approvals" element={<ApprovalsPage />} />
          <Route path="approvals/:actionId" element={<ApprovalsPage />} />
          <Route path="history" element={<HistoryPage />} />
          <Route path="history/:actionId" element={<TracePage />} />
          <Route path="tools" element={<OwnerTools />}>
            <Route index element={<OwnerToolsPage />} />
            <Route path="add" element={<AddToolPage />} />
            <Route path="at/:system" element={<ToolPage />} />
          </Route>
          <Route path="policy" element={<PolicyPage />} />
          <Route path="catalog" element={<CatalogPage />} />
          <Route path="routes" element={<RoutesPage />} />
          <Route path="grants" element={<GrantsPage />} />
          <Route path="notices" element={<NoticesPage />} />
          <Route path="keys" element={<KeysPage />} />
        </Route>
      </Route>
      <Route path="*" element={<Navigate to="/" replace />} />
    </Routes>
  )
}

/** Routes for signed-in people. All others are sent to the sign-in page, which leads back to the same page. */
function Inside() {
  const session = useSession()
  const { pathname, search } = useLocation()
  if (session.phase === 'unknown') return <Unknown error={session.error} />
  if (!('profile' in session))
    return <Navigate to={`/login?back=${encodeURIComponent(pathname + search)}`} replace />
  return (
    <AppShell key={session.profile.account.account_id}>
      <Outlet />
    </AppShell>
  )
}

/** Shows an invitation after the session state has loaded. Accepting the invitation opens the application. */
function Invited() {
  const session = useSession()
  if (session.phase === 'unknown') return <Unknown error={session.error} />
  if ('profile' in session && session.landing !== undefined) return <Navigate to={session.landing} replace />
  return <InvitationPage />
}

function Outside({ page }: { page: ReactNode }) {
  const session = useSession()
  const { search } = useLocation()
  if (session.phase === 'unknown') return <Unknown error={session.error} />
  if (!('profile' in session)) return page
  const back = session.landing ?? new URLSearchParams(search).get('back') ?? '/'
  return <Navigate to={isOwnPath(back) ? back : '/'} replace />
}

/** Shows a placeholder while the session state loads, or the error. A failed request is repeated automatically. */
function Unknown({ error }: { error: Error | null }) {
  if (!error) return <Skeleton rows={6} />
  return (
    <OutsideFrame
      title="One moment"
      lead="Whether you are signed in could not be learned yet. It is asked again every few seconds."
    >
      <ProblemNote error={error} />
    </OutsideFrame>
  )
}
