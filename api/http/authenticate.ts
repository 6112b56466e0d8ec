import type { Request } from 'express'
import type { KeyPrincipal } from '../../shared/contract/action/verdict.ts'
import { ServiceError } from '../../shared/contract/base/errors.ts'
import { type Access, type Endpoint, isForAdminsOnly } from '../../shared/contract/endpoints/endpoint.ts'
import type { EndpointName } from '../../shared/contract/endpoints/endpoints.ts'
import { adminScopes, keyRoles } from '../../shared/contract/role-schema.ts'
import type { Context } from '../../shared/flow/core/context.ts'
import { type Authenticated, authenticateKey } from '../../shared/flow/tenant/authenticate-key.ts'
import { readCookie } from './cookies.ts'

export type KeyAccess = Exclude<Access, 'none' | 'session' | 'operator'>

const scopes: Record<KeyAccess, readonly KeyPrincipal['scope'][]> = {
  agent: ['agent'],
  approver: ['approver'],
  agent_or_approver: ['agent', 'approver'],
  admin: adminScopes,
  member: keyRoles,
}

/**
 * Authenticates the key in the headers of specification.md#authentication: 401 without a key, 403 for a bad one.
 * The caller must still check its scope.
 */
export async function authenticate(
  context: Context,
  request: Request,
  { access, work }: { access: KeyAccess; work: EndpointName | null },
): Promise<Authenticated> {
  return authenticateKey(context, credential(request, access), work)
}

export function refuseOtherScopes({ scope }: KeyPrincipal, access: KeyAccess): void {
  if (scopes[access].includes(scope)) return
  throw new ServiceError('wrong_scope', `this needs a key of scope ${scopes[access].join(' or ')}`)
}

export function refuseOnCall({ scope }: Pick<KeyPrincipal, 'scope'>, endpoint: Endpoint): void {
  if (scope !== 'on_call' || !isForAdminsOnly(endpoint)) return
  throw new ServiceError(
    'wrong_role',
    'who is on call reads and changes nothing: this needs an operator or an admin key',
  )
}

export function showsKey(request: Request): boolean {
  return keyHeaders.some(name => single(request, name) !== null)
}

export function showsTenantKey(request: Request): boolean {
  const isKey = single(request, 'authorization') !== null || single(request, 'x-service-api-key') !== null
  return isKey && readCookie(request, 'service_session') === null
}

export function showsOperatorSession(request: Request): boolean {
  return readCookie(request, 'service_operator_session') !== null
}

const keyHeaders = ['authorization', 'x-service-api-key', 'x-service-admin-key'] as const

function credential(request: Request, access: KeyAccess): string {
  const [bearer = null, ...others] = authorizations(request).map(bearerToken)
  const tenantKey = single(request, 'x-service-api-key')
  const adminKey = single(request, 'x-service-admin-key')
  const given = new Set([bearer, ...others, tenantKey, adminKey].filter(key => key !== null))
  if (given.size > 1) throw new ServiceError('conflicting_credentials')
  const key = access === 'admin' ? adminKey : (bearer ?? tenantKey)
  if (key) return key
  const header = access === 'admin' ? 'X-Service-Admin-Key' : 'Authorization: Bearer or X-Service-API-Key'
  throw new ServiceError('credential_required', `give an API key in ${header}`)
}

/** Returns all `Authorization` headers, because node keeps only the first of several in its headers. */
function authorizations(request: Request): readonly string[] {
  const { authorization } = request.headers
  if (authorization === undefined) return []
  const isOne = (text: string, at: number) =>
    at % 2 === 0 && text.length === 'authorization'.length && text.toLowerCase() === 'authorization'
  const first = request.rawHeaders.findIndex(isOne)
  const second = request.rawHeaders.findIndex((text, at) => at > first && isOne(text, at))
  return second === -1 ? [authorization] : (request.headersDistinct.authorization ?? [])
}

function bearerToken(header: string): string {
  const [, token] = /^Bearer +(\S+) *$/i.exec(header) ?? []
  if (!token) throw new ServiceError('invalid_header', 'Authorization must be: Bearer <key>')
  return token
}

function single(request: Request, name: string): string | null {
  const value = request.headers[name]
  return typeof value === 'string' && value !== '' ? value : null
}
