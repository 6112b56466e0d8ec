import { type ErrorCode, errorTable } from '../base/errors.ts'
import { type Endpoint, isForAdminsOnly, isForSome, isList } from './endpoint.ts'

export function errorCodesOf(endpoint: Endpoint): Map<number, ErrorCode[]> {
  const byStatus = new Map<number, ErrorCode[]>()
  for (const code of new Set([...endpoint.errors, ...impliedErrors(endpoint)])) {
    const { status } = errorTable[code]
    byStatus.set(status, [...(byStatus.get(status) ?? []), code])
  }
  return new Map([...byStatus].sort(([one], [other]) => one - other))
}

function impliedErrors(endpoint: Endpoint): ErrorCode[] {
  const { access, params, query, body, headers, errors, limited } = endpoint
  const takesSession = access === 'session' || access === 'member' || access === 'operator'
  const maySession = takesSession || access === 'admin'
  const parsedHeaders = headers?.some(name => name !== 'if-none-match' && !name.startsWith('x-slack-'))
  const when = (condition: unknown, ...codes: ErrorCode[]) => (condition ? codes : [])
  return [
    ...when(body, 'malformed_json', 'validation_failed', 'body_too_large', 'unsupported_media_type'),
    ...when(query, 'validation_failed'),
    ...when(parsedHeaders, 'invalid_header'),
    ...when(maySession, ...sessionErrors, 'storage_unavailable'),
    ...when(maySession && endpoint.method !== 'GET', 'csrf_refused', 'cross_site_request'),
    ...when(isForSome(endpoint) || isForAdminsOnly(endpoint), 'wrong_role'),
    ...when(access === 'member', ...keyErrors),
    ...when(access !== 'none' && !takesSession, 'credential_required', ...keyErrors, 'storage_unavailable'),
    ...when(params && !errors.some(code => code.endsWith('_not_found')), 'not_found'),
    ...when(limited !== false, 'rate_limited'),
    ...when(isList(endpoint) || endpoint.takes, 'overloaded'),
    ...when(endpoint.proves === 'counted', 'too_many_proofs'),
    'internal_error',
  ]
}

const sessionErrors: readonly ErrorCode[] = ['conflicting_credentials', 'session_required']

const keyErrors: readonly ErrorCode[] = [
  'invalid_header',
  'conflicting_credentials',
  'invalid_key',
  'key_revoked',
  'key_expired',
  'wrong_scope',
]
