import { timingSafeEqual } from 'node:crypto'
import type { Request } from 'express'
import type { Endpoint } from '../../shared/contract/endpoints/endpoint.ts'
import { ServiceError } from '../../shared/contract/errors.ts'
import { tenantIdSchema } from '../../shared/contract/identifier.ts'
import type { Context } from '../../shared/flow/context.ts'
import { type AuthenticatedSession, authenticateSession } from '../../shared/flow/sessions.ts'
import { showsKey } from './authenticate.ts'
import { readCookie } from './cookies.ts'
import { refuseOtherSites } from './same-site.ts'

/**
 * The session of a request (contract section 12): a write comes from the service's own pages and shows the token that
 * only they know, and a tenant in the path is its owner's; somebody else's is as unknown as one that never was.
 */
export async function admitSession(
  context: Context,
  endpoint: Endpoint,
  request: Request,
): Promise<AuthenticatedSession> {
  const token = readCookie(request, 'service_session')
  if (token !== null && showsKey(request)) throw new ServiceError('conflicting_credentials')
  const { tenant_id = null } = request.params
  const tenantId = tenantIdSchema.safeParse(tenant_id).data ?? null
  const isStream = endpoint.answers[200]?.type === 'text/event-stream'
  const byItself = isStream || request.get('x-service-unattended') === 'true'
  const admitted = await authenticateSession(context, token, { tenantId, byItself })
  if (endpoint.method !== 'GET') {
    refuseOtherSites(request, context.config.base_url)
    refuseWithout(request.get('x-service-csrf'), admitted.session.csrf_token)
  }
  if (tenant_id !== null && !admitted.owner) throw new ServiceError('tenant_not_found')
  return admitted
}

function refuseWithout(given: string | undefined, expected: string): void {
  const [shown, own] = [Buffer.from(given ?? ''), Buffer.from(expected)]
  if (shown.length !== own.length || !timingSafeEqual(shown, own)) throw new ServiceError('csrf_refused')
}
