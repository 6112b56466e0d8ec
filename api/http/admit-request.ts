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

/** What is counted: requests, refused keys, log-ins with sign-ups, and failed log-ins. */
export interface Limits {
  requests: Limiter
  /** Of all keys of a tenant. */
  tenantRequests: QuietLimiter
  /** Of all keys and sessions of an organization. */
  organizationRequests: QuietLimiter
  /** Requests that do the work of many, of one key or account. */
  batches: QuietLimiter
  authFailures: Limiter
  logIns: Limiter
  logInFailures: Limiter
}

/** A key, a member of an organization, or an operator of the console. */
export type Caller = KeyPrincipal | OwnerPrincipal | OperatorPrincipal

/** Who calls, as a handler is told. */
export interface Admitted {
  principal?: Caller | undefined
  session: CurrentSession | null
  /** The session of the console, where an operator calls. */
  operator: CurrentOperator | null
  visitor?: Visitor
  /** The organization of the session, or whose the tenant of the key is; null where there is none. */
  organization_id: string | null
  now: string
}

const nobody = { session: null, operator: null, organization_id: null } as const

export interface Admission {
  /** Null for what is no row of the table of endpoints. */
  name: EndpointName | null
  endpoint: Endpoint
  context: Context
  limits: Limits
  request: Request
  response: Response
}

/** Who calls, counted against a limit. */
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

/** Somebody signs up or logs in: counted before anything is looked at. */
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

/** A session is counted by its account, whatever becomes of its request; what shows none, by its address. */
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

/** The same of a session of the console. */
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

/** What one key is refused is not counted against its tenant, nor what a tenant is refused against its organization. */
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

/** Of a request that failed: rejects where its key is good no more, which comes before what else was wrong. */
export async function refuseEnded(admission: Admission, { principal }: Admitted): Promise<void> {
  const { context, name } = admission
  if (!principal || !('key_id' in principal)) return
  await refusalsCounted(admission, () => refuseEndedKey(context, principal.key_id, name))
}

/** Refused keys are counted per address, and so is what shows none that could be looked at. */
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
