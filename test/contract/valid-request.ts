import { randomBytes } from 'node:crypto'
import type { Operation } from './contract-document.ts'

/** A request in terms of the document. */
export interface Asked {
  params: Record<string, string>
  query: Record<string, string>
  headers: Record<string, string>
  /** Text of the body, or null for none. */
  body: string | null
}

export interface Credentials {
  admin: string
  agent: string
  approver: string
  /** Cookie of an owner's session, and the token that its writes need. */
  session: string
  csrf: string
  /** The same of an operator. */
  console: string
  console_csrf: string
}

/** What the parameters of paths stand for, and who asks. */
export interface Known {
  credentials: Credentials
  params: Record<string, string>
  /** Where an operation needs others to succeed. */
  ownParams: Record<string, Record<string, string>>
  /** What the required parameters of queries are. */
  query: Record<string, string>
}

/** A request that the operation answers with success: its first documented example, with identifiers of its own. */
export function validRequest(operation: Operation, { credentials, params, ownParams, query }: Known): Asked {
  const named = { ...params, ...ownParams[operation.operationId] }
  const [example] = Object.values(operation.requestBody?.content['application/json']?.examples ?? {})
  return {
    params: valuesOf('path', operation, named),
    query: valuesOf('query', operation, query),
    headers: {
      ...credentialHeaders(operation, credentials),
      ...(operation.requestBody ? { 'content-type': 'application/json' } : {}),
    },
    body: example ? JSON.stringify(withOwnIdentifiers(example.value)) : null,
  }
}

/** The required parameters that stand in one place of a request. */
function valuesOf(
  place: 'path' | 'query',
  { parameters = [] }: Operation,
  values: Record<string, string>,
): Record<string, string> {
  const required = parameters.filter(parameter => parameter.in === place && parameter.required)
  return Object.fromEntries(required.map(({ name }) => [name, values[name] ?? unknownParameter(name)]))
}

/** The headers of the first documented alternative. */
export function credentialHeaders(operation: Operation, credentials: Credentials): Record<string, string> {
  const [scheme = 'none'] = Object.keys(operation.security[0] ?? {})
  const [scope = 'admin'] = operation['x-key-scopes'] ?? []
  const key = credentials[scope as keyof Credentials]
  if (scheme === 'none') return {}
  if (scheme === 'operator_session') return consoleHeaders(credentials)
  if (scheme === 'session') {
    return { cookie: `service_session=${credentials.session}`, 'x-service-csrf': credentials.csrf }
  }
  return scheme === 'bearer' ? { authorization: `Bearer ${key}` } : { 'x-service-admin-key': key }
}

/** What a request of an operator shows. */
export function consoleHeaders({ console, console_csrf }: Credentials): Record<string, string> {
  return { cookie: `service_operator_session=${console}`, 'x-service-csrf': console_csrf }
}

export function pathOf({ path }: Operation, { params, query }: Asked): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
  const search = new URLSearchParams(query).toString()
  return search === '' ? filled : `${filled}?${search}`
}

function withOwnIdentifiers(value: unknown): unknown {
  const body = value as Record<string, unknown>
  const own = `own-${randomBytes(8).toString('hex')}`
  return {
    ...body,
    ...('proposal_id' in body ? { proposal_id: own } : {}),
    ...('tenant_id' in body ? { tenant_id: own } : {}),
    ...('organization' in body ? { email: `${own}@example.org` } : {}),
  }
}

function unknownParameter(name: string): never {
  throw new Error(`say in world.ts what the parameter ${name} stands for`)
}
