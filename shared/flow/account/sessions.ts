import type { Account, Organization, SessionProfile } from '../../contract/account.ts'
import type { OwnerPrincipal } from '../../contract/action/verdict.ts'
import { ServiceError } from '../../contract/base/errors.ts'
import type { SessionIdentity } from '../../contract/identity.ts'
import { type MemberRole, memberRoles } from '../../contract/role-schema.ts'
import { csrfTokenOf, hashSecret, isToken } from '../../runtime/secrets/secret.ts'
import type { TenantsOf } from '../../store/account/account-rows.ts'
import { grantsOf } from '../../store/account/member-rows.ts'
import {
  endAllSessions,
  endSession,
  findSession,
  type StoredSession,
  touchSession,
} from '../../store/account/session-rows.ts'
import type { Context } from '../core/context.ts'
import { dashboardOf, endSessionUrl } from './issuer-attempt.ts'
import { endSlackLinks } from './slack-links.ts'

export interface CurrentSession {
  session_hash: Buffer
  account: Account
  organization: Organization
  owner: boolean
  /** The roles in the request's tenant; without a tenant, `owner` for an owner of the organization. */
  roles: readonly MemberRole[]
  identity: SessionIdentity | null
  csrf_token: string
  expires_at: string
  idle_expires_at: string
}

/** An authenticated request; `member` is null without a tenant or without a role in it. */
export interface AuthenticatedSession {
  session: CurrentSession
  member: OwnerPrincipal | null
  now: string
}

/**
 * Reads the session of a cookie from the database each time; throws `session_required` if it is invalid. Only user
 * actions extend it, because an open page reconnects by itself.
 */
export async function authenticateSession(
  context: Context,
  token: string | null,
  { tenantId, byItself }: { tenantId: string | null; byItself: boolean },
): Promise<AuthenticatedSession> {
  if (token === null || !isToken(token)) throw new ServiceError('session_required')
  const session_hash = hashSecret(token)
  const found = await context.store.read('all', reader => findSession(reader, session_hash, tenantId))
  if (!found) throw new ServiceError('session_required')
  const { account_id, email, organization_id, expires_at, now } = found
  const roles = tenantId === null && found.owner ? (['owner'] as const) : rolesIn(found)
  const session = {
    session_hash,
    account: { account_id, email, created_at: found.account_created_at },
    organization: { organization_id, name: found.organization_name },
    owner: found.owner,
    roles,
    identity: identityOf(found),
    csrf_token: csrfTokenOf(token),
    expires_at,
    idle_expires_at: byItself
      ? found.idle_expires_at
      : await putOff(context, { ...found, session_hash, touch: touchSession }),
  }
  const member =
    tenantId !== null && roles.length > 0
      ? { account_id, name: email, scope: 'owner' as const, tenant_id: tenantId }
      : null
  return { session, member, now }
}

/** Rejects if a session or the member's role in a tenant has ended; does not extend it. */
export async function confirmSession(
  { store }: Context,
  { session_hash }: CurrentSession,
  tenantId: string,
  roles: readonly MemberRole[],
): Promise<void> {
  const found = await store.read('all', reader => findSession(reader, session_hash, tenantId))
  if (!found) throw new ServiceError('session_required')
  const now = rolesIn(found)
  if (now.length === 0) throw new ServiceError('tenant_not_found', `no tenant ${tenantId}`)
  if (!now.some(role => roles.includes(role))) throw new ServiceError('wrong_role')
}

function rolesIn({ tenant_roles }: StoredSession): MemberRole[] {
  return memberRoles.filter(role => tenant_roles.split(',').includes(role))
}

export function tenantsOf({ account, organization, owner }: CurrentSession): TenantsOf {
  return { account_id: account.account_id, organization_id: organization.organization_id, owner }
}

function identityOf({ issuer, subject, auth_time, acr }: StoredSession): SessionIdentity | null {
  return issuer === null || subject === null ? null : { issuer, subject, auth_time, acr }
}

export async function sessionProfile(
  { store }: Context,
  { session_hash: _, ...session }: CurrentSession,
): Promise<SessionProfile> {
  const grants = await store.look('all', query => grantsOf(query, session.account.account_id))
  return { ...session, ...grants }
}

/**
 * Ends this session, or all of its account with its Slack links; returns their number and the issuer's logout
 * address. An unreachable issuer does not prevent it.
 */
export async function logOut(
  context: Context,
  { session_hash, account, identity }: CurrentSession,
  everywhere: boolean,
): Promise<{ ended: number; end_session_url: string | null }> {
  const { account_id, email: name } = account
  // Links end first, because a crash in between then leaves a session, which can be ended again.
  if (everywhere)
    await endSlackLinks(context, account_id, tenant_id => ({ account_id, name, scope: 'owner', tenant_id }))
  const ended = await context.store.change([], query =>
    everywhere ? endAllSessions(query, account.account_id) : endSession(query, session_hash),
  )
  if (ended === 0) throw new ServiceError('session_required')
  return {
    ended,
    end_session_url:
      identity && (await endSessionUrl(context, dashboardOf(context), identity.issuer, '/app/login')),
  }
}

const touchEveryMs = 60_000

interface PutOff {
  session_hash: Buffer
  expires_at: string
  idle_expires_at: string
  idle_left_ms: number
  touch: typeof touchSession
}

/** Extends a used session; the write happens at most once a minute, or ten times within a shorter idle time. */
export async function putOff(
  { store, config }: Context,
  { session_hash, expires_at, idle_expires_at, idle_left_ms, touch }: PutOff,
): Promise<string> {
  const { session_idle_ms: idle } = config
  const fresh = idle_left_ms > idle - Math.min(touchEveryMs, idle / 10)
  if (fresh || idle_expires_at === expires_at) return idle_expires_at
  const later = await store.write([], writer => touch(writer, session_hash, idle))
  if (later === null) throw new ServiceError('session_required')
  return later
}
