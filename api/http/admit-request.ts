import type { Request, Response } from 'express'
import type { KeyPrincipal, OwnerPrincipal } from '../../shared/contract/action/verdict.ts'
import { ServiceError } from '../../shared/contract/base/errors.ts'
import type { Endpoint } from '../../shared/contract/endpoints/endpoint.ts'
import type { EndpointName } from '../../shared/contract/endpoints/endpoints.ts'
import type { OperatorPrincipal } from '../../shared/contract/operator-schema.ts'
import type { CurrentOperator } from '../../shared/flow/account/operator-sessions.ts'
import type { CurrentSession } from '../../shared/flow/account/sessions.ts'
import type { Context } from '../../shared/flow/core/context.ts'
import { refuseEndedKey } from '../../shared/flow/tenant/authenticate-key.ts'
import type { Visitor } from '../handlers/handler.ts'
import { findOperator, findSession, refuseForeign, refuseForeignKey, refuseForged } from './admit-session.ts'
import {
  authenticate,
  type KeyAccess,
  refuseOnCall,
  refuseOtherScopes,
  showsOperatorSession,
  showsTenantKey,
} from './authenticate.ts'
import { readCookie } from './cookies.ts'
import { notesOf } from './observe.ts'
import { addressOf, type Limiter, type QuietLimiter } from './rate-limit.ts'
import { needsSecureCookies, refuseOtherSites } from './same-site.ts'

export interface Limits {
  requests: Limiter
  tenantRequests: QuietLimiter
  organizationRequests: QuietLimiter
  batches: QuietLimiter
  authFailures: Limiter
  logIns: Limiter
  logInFailures: Limiter
}

export type Caller = KeyPrincipal | OwnerPrincipal | OperatorPrincipal

export interface Admitted {
  principal?: Caller | undefined
  session: CurrentSession | null
  operator: CurrentOperator | null
  visitor?: Visitor
  /** The organization of the session or of the key's tenant; null if it has none. */
  organization_id: string | null
  now: string
}

const nobody = { session: null, operator: null, organization_id: null } as const

export interface Admission {
  name: EndpointName | null
  endpoint: Endpoint
  context: Context
  limits: Limits
  request: Request
  response: Response
}

export async function admit(admission: Admission): Promise<Admitted> {
  const { access, hosted, console, method, form } = admission.endpoint
  if (access === 'session') return admitOwner(admission)
  if (access === 'operator') return admitOperator(admission)
  if (access === 'admin' && showsOperatorSession(admission.request)) return admitOperator(admission)
  if (access === 'member' && !showsTenantKey(admission.request)) return admitOwner(admission)
  if (access !== 'none') return admitKey(admission, access)
  const isVisit = (hosted || console) && method === 'POST' && !form
  return isVisit ? admitVisitor(admission) : admitAnybody(admission)
}

async function admitAnybody({ endpoint, limits, request, response }: Admission): Promise<Admitted> {
  if (endpoint.limited !== false) await limits.requests(request, response, addressOf(request))
  return { now: '', ...nobody }
}

/** Counts a sign-up or log-in by address before it checks anything, so that failed guesses count too. */
async function admitVisitor({ endpoint, context, limits, request, response }: Admission): Promise<Admitted> {
  refuseOtherSites(request, context.config.base_url)
  await limits.logIns(request, response, addressOf(request))
  const { logInFailures } = limits
  const visitor: Visitor = {
    session_token: readCookie(request, endpoint.console ? 'service_operator_session' : 'service_session'),
    device_token: readCookie(request, 'service_device'),
    sign_in_token: readCookie(
      request,
      endpoint.console ? 'service_operator_sign_in' : 'service_sign_in',
      needsSecureCookies(request, context.config.base_url),
    ),
    attempts: {
      spend: subject => logInFailures(request, response, subject),
      giveBack: subject => logInFailures.giveBack(subject),
    },
  }
  return { visitor, now: '', ...nobody }
}

/** Counts a session by its account even if the request fails; a request without a session counts by address. */
async function admitOwner({ endpoint, context, limits, request, response }: Admission): Promise<Admitted> {
  const admitted = await findSession(context, endpoint, request).catch(async error => {
    if (error instanceof ServiceError) await limits.requests(request, response, addressOf(request))
    throw error
  })
  const { session, member, now } = admitted
  const { organization_id } = session.organization
  await limits.requests(request, response, session.account.account_id)
  await limits.organizationRequests(response, organization_id)
  if (endpoint.counted) await limits.batches(response, session.account.account_id)
  refuseForeign(endpoint, admitted, request, context.config.base_url)
  return { session, operator: null, organization_id, principal: member ?? undefined, now }
}

async function admitOperator({ endpoint, context, limits, request, response }: Admission): Promise<Admitted> {
  const { session, now } = await findOperator(context, request).catch(async error => {
    if (error instanceof ServiceError) await limits.requests(request, response, addressOf(request))
    throw error
  })
  const { operator: principal } = session
  await limits.requests(request, response, principal.operator_id)
  if (endpoint.counted) await limits.batches(response, principal.operator_id)
  refuseForged(request, session.csrf_token, context.config.base_url)
  refuseOnCall(principal, endpoint)
  return { ...nobody, principal, operator: session, now }
}

async function admitKey(admission: Admission, access: KeyAccess): Promise<Admitted> {
  const { name, endpoint, context, limits, request, response } = admission
  const { principal, now } = await refusalsCounted(admission, () =>
    authenticate(context, request, { access, work: name }),
  )
  notesOf(response).caller = principal
  await limits.requests(request, response, principal.key_id)
  const organization_id = await countWithOthers(admission, principal)
  refuseOtherScopes(principal, access)
  refuseOnCall(principal, endpoint)
  if (access === 'member') refuseForeignKey(endpoint, principal, request)
  if (endpoint.counted) await limits.batches(response, principal.key_id)
  return { principal, session: null, operator: null, organization_id, now }
}

/**
 * Counts a key's request against its tenant and organization, after the key's own limit, so that refused requests
 * of one key use up neither.
 */
async function countWithOthers(
  { context, limits, response }: Admission,
  { tenant_id }: KeyPrincipal,
): Promise<string | null> {
  if (tenant_id === null) return null
  await limits.tenantRequests(response, tenant_id)
  const organizationId = await context.organizationOf(tenant_id)
  if (organizationId !== null) await limits.organizationRequests(response, organizationId)
  return organizationId
}

/** Rejects a failed request if its key has ended, because that error takes precedence over any other. */
export async function refuseEnded(admission: Admission, { principal }: Admitted): Promise<void> {
  const { context, name } = admission
  if (!principal || !('key_id' in principal)) return
  await refusalsCounted(admission, () => refuseEndedKey(context, principal.key_id, name))
}

async function refusalsCounted<Answer>(
  { limits, request, response }: Admission,
  ask: () => Promise<Answer>,
): Promise<Answer> {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof ServiceError) {
      const limit = refusals.has(error.code) ? limits.authFailures : limits.requests
      await limit(request, response, addressOf(request))
    }
    throw error
  }
}

const refusals: ReadonlySet<string> = new Set([
  'credential_required',
  'invalid_key',
  'key_revoked',
  'key_expired',
])
