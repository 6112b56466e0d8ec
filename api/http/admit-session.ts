import { timingSafeEqual } from 'node:crypto'
import type { Request } from 'express'
import type { KeyPrincipal } from '../../shared/contract/action/verdict.ts'
import { ServiceError } from '../../shared/contract/base/errors.ts'
import { tenantIdSchema } from '../../shared/contract/base/identifier.ts'
import type { Endpoint } from '../../shared/contract/endpoints/endpoint.ts'
import { type MemberRole, roleOfScope } from '../../shared/contract/role-schema.ts'
import { authenticateOperator, type CurrentOperator } from '../../shared/flow/account/operator-sessions.ts'
import { type AuthenticatedSession, authenticateSession } from '../../shared/flow/account/sessions.ts'
import type { Context } from '../../shared/flow/core/context.ts'
import { showsKey } from './authenticate.ts'
import { readCookie } from './cookies.ts'
import { refuseOtherSites } from './same-site.ts'

export async function findSession(
  context: Context,
  endpoint: Endpoint,
  request: Request,
): Promise<AuthenticatedSession> {
  const token = readCookie(request, 'service_session')
  if (token !== null && showsKey(request)) throw new ServiceError('conflicting_credentials')
  const tenantId = tenantIdSchema.safeParse(request.params.tenant_id).data ?? null
  const isStream = endpoint.answers[200]?.type === 'text/event-stream'
  const byItself = isStream || request.get('x-service-unattended') === 'true'
  return authenticateSession(context, token, { tenantId, byItself })
}

export async function findOperator(
  context: Context,
  request: Request,
): Promise<{ session: CurrentOperator; now: string }> {
  const token = readCookie(request, 'service_operator_session')
  if (token !== null && showsKey(request)) throw new ServiceError('conflicting_credentials')
  const byItself = request.get('x-service-unattended') === 'true'
  return authenticateOperator(context, token, { byItself })
}

/** Rejects a write unless it comes from the service's own pages with the CSRF token, which only they know. */
export function refuseForged(request: Request, csrfToken: string, baseUrl: string): void {
  if (request.method === 'GET' || request.method === 'HEAD') return
  refuseOtherSites(request, baseUrl)
  refuseWithout(request.get('x-service-csrf'), csrfToken)
}

/**
 * Checks the rights of a session (specification.md#hosted-accounts). The member needs a role in the tenant of the
 * path; another organization's tenant gives the same error as an unknown one.
 */
export function refuseForeign(
  endpoint: Endpoint,
  admitted: AuthenticatedSession,
  request: Request,
  baseUrl: string,
): void {
  refuseForged(request, admitted.session.csrf_token, baseUrl)
  if (request.params.tenant_id !== undefined && !admitted.member) throw new ServiceError('tenant_not_found')
  refuseOtherRoles(endpoint, admitted.session.roles)
}

export function refuseForeignKey(
  endpoint: Endpoint,
  { scope, tenant_id }: KeyPrincipal,
  request: Request,
): void {
  if (request.params.tenant_id !== tenant_id) throw new ServiceError('tenant_not_found')
  const role = roleOfScope(scope)
  refuseOtherRoles(endpoint, role === null ? [] : [role])
}

/** Rejects if the member lacks the roles of the endpoint (specification.md#members). */
function refuseOtherRoles({ roles }: Endpoint, own: readonly MemberRole[]): void {
  if (roles === undefined || roles.some(role => own.includes(role))) return
  throw new ServiceError('wrong_role', `this needs the role ${roles.join(' or ')}`)
}

function refuseWithout(given: string | undefined, expected: string): void {
  const [shown, own] = [Buffer.from(given ?? ''), Buffer.from(expected)]
  if (shown.length !== own.length || !timingSafeEqual(shown, own)) throw new ServiceError('csrf_refused')
}
