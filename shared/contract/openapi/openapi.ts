import { stringify } from 'yaml'
import { z } from 'zod'
import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiPathsObject } from 'zod-openapi'
import { admissionCatalogSchema } from '../configuration/admission.ts'
import { type Access, type Audience, type Endpoint, isFor, isForAdminsOnly } from '../endpoints/endpoint.ts'
import { endpoints } from '../endpoints/endpoints.ts'
import { adminScopes, type KeyScope, keyRoles } from '../role-schema.ts'
import { type OpenApiDocument, withExamples } from './openapi-examples.ts'
import { requestHeaders } from './openapi-headers.ts'
import { problemResponses, responsesOf } from './openapi-responses.ts'
import { messageTag, webhooksOf } from './openapi-webhooks.ts'

export interface OpenApiOptions {
  version: string
  /** The service's address. If it is empty, clients use the address of the document. */
  base_url: string
  audience?: Audience
}

/** Returns the OpenAPI document (specification.md#versions) as YAML. */
export function openApiYaml(options: OpenApiOptions): string {
  return stringify(openApiDocument(options), {
    aliasDuplicateObjects: false,
    lineWidth: 0,
    compat: 'yaml-1.1',
  })
}

export function openApiJson(options: OpenApiOptions): string {
  return JSON.stringify(openApiDocument(options))
}

export function openApiDocument({ version, base_url, audience }: OpenApiOptions): OpenApiDocument {
  const rows = rowsFor(audience)
  const sends = Object.values(rows).some(({ access }) => access === 'admin')
  const document = createDocument(
    {
      openapi: '3.1.1',
      info: { title: 'Action Gate', version, description, license, contact },
      servers: [{ url: base_url || '/', description: 'This service.' }],
      tags: [...new Set(Object.values(rows).map(tagOf)), ...(sends ? [messageTag] : [])],
      paths: pathsOf(rows),
      ...(sends ? { webhooks: webhooksOf() } : {}),
      components: {
        ...(sends ? { schemas: { AdmissionCatalog: admissionCatalogSchema } } : {}),
        securitySchemes: schemesOf(Object.values(rows)),
        responses: problemResponses(Object.values(rows)),
      },
    },
    { allowEmptySchema: { custom: true } },
  )
  return withExamples(document)
}

function rowsFor(audience: Audience | undefined): Readonly<Record<string, Endpoint>> {
  const rows = Object.entries<Endpoint>(endpoints)
  return Object.fromEntries(rows.filter(([, row]) => audience === undefined || isFor(audience, row)))
}

function schemesOf(rows: readonly Endpoint[]): Partial<typeof securitySchemes> {
  const named = new Set(rows.flatMap(row => securityOf(row).flatMap(scheme => Object.keys(scheme))))
  return Object.fromEntries(Object.entries(securitySchemes).filter(([name]) => named.has(name)))
}

function securityOf(endpoint: Endpoint): Record<string, string[]>[] {
  const { security } = credentials[endpoint.access]
  if (!isSessionWrite(endpoint)) return security
  return security.map(scheme =>
    'session' in scheme || 'operator_session' in scheme ? { ...scheme, csrf: [] } : scheme,
  )
}

const license = { name: 'Apache-2.0', identifier: 'Apache-2.0' }
const contact = { name: 'Whoever runs this service' }
const description = [
  'A security boundary for AI agents: decide, approve, execute durably, prove.',
  'An agent submits a proposal before it changes any external system. The service decides, routes for approval, executes through a registered actuator and records an append-only, Merkle-rooted trace.',
  'Errors are `application/problem+json` (RFC 9457) with a stable `code`. A path that is not listed is 404, a listed one with another method 405 with `Allow`.',
  'JSON is read strictly: names given twice, the name `__proto__`, numbers that a double cannot hold, lone surrogates and U+0000 are refused with 400, and so are fields that are not listed. Lengths of strings count code points.',
  'A policy outcome is no error: a denial is 200 with `denied` and `blocking_reasons`.',
].join('\n\n')

const securitySchemes = {
  bearer: { type: 'http', scheme: 'bearer', description: 'Key of the tenant, `<key_id>.<secret>`.' },
  service_api_key: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Service-API-Key',
    description: 'Key of the tenant, as an alternative to the bearer scheme.',
  },
  service_admin_key: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Service-Admin-Key',
    description: 'Admin key.',
  },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: 'service_session',
    description:
      'Session of the hosted dashboard; writes need the token of `X-Service-CSRF` as well. A request with ' +
      '`X-Service-Unattended: true`, which a page makes by itself, does not put off its end.',
  },
  operator_session: {
    type: 'apiKey',
    in: 'cookie',
    name: 'service_operator_session',
    description: 'Session of the console; writes need the token of `X-Service-CSRF` as well.',
  },
  csrf: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Service-CSRF',
    description: '`csrf_token` of the session.',
  },
} as const

const publicTag = { name: 'Public', description: 'Probes and documents; no credential.' }
const tenantTag = {
  name: 'Agent and approver',
  description: 'Proposals, approvals and traces of one tenant.',
}
const adminTag = { name: 'Admin', description: 'Tenants, keys, policies and catalogs.' }
const hostedTag = {
  name: 'Hosted dashboard',
  description: 'Accounts, sessions and the applications of an owner; only where hosted accounts are enabled.',
}
const groups: Readonly<Record<Access, { name: string; description: string }>> = {
  none: publicTag,
  agent: tenantTag,
  approver: tenantTag,
  agent_or_approver: tenantTag,
  admin: adminTag,
  operator: adminTag,
  session: hostedTag,
  member: hostedTag,
}

function tagOf({ access, hosted, console }: Endpoint) {
  if (hosted) return hostedTag
  return console ? adminTag : groups[access]
}

const tenantKeys: Record<string, string[]>[] = [{ bearer: [] }, { service_api_key: [] }]

const credentials: Readonly<Record<Access, Credentials>> = {
  none: { security: [], scopes: [], words: 'Takes no credential.' },
  agent: { security: tenantKeys, scopes: ['agent'], words: 'Takes an agent key.' },
  approver: { security: tenantKeys, scopes: ['approver'], words: 'Takes an approver key.' },
  agent_or_approver: {
    security: tenantKeys,
    scopes: ['agent', 'approver'],
    words: 'Takes an agent or an approver key.',
  },
  admin: {
    security: [{ service_admin_key: [] }, { operator_session: [] }],
    scopes: adminScopes,
    words:
      'Takes an admin key or a session of an operator, and to read an on-call key (`on_call`) or a session of somebody on call as well.',
  },
  operator: {
    security: [{ operator_session: [] }],
    scopes: [],
    words: 'Takes a session of an operator, on call or not.',
  },
  session: { security: [{ session: [] }], scopes: [], words: 'Takes a session of the dashboard.' },
  member: {
    security: [{ session: [] }, ...tenantKeys],
    scopes: keyRoles,
    words: 'Takes a session of the dashboard, or a key of the application that carries a role which may.',
  },
}

interface Credentials {
  security: Record<string, string[]>[]
  scopes: readonly KeyScope[]
  words: string
}

function pathsOf(rows: Readonly<Record<string, Endpoint>>): ZodOpenApiPathsObject {
  const paths: Record<string, Record<string, ZodOpenApiOperationObject>> = {}
  for (const [name, endpoint] of Object.entries(rows)) {
    paths[endpoint.path] = {
      ...paths[endpoint.path],
      [endpoint.method.toLowerCase()]: operationOf(name, endpoint),
    }
  }
  return paths
}

function operationOf(name: string, endpoint: Endpoint): ZodOpenApiOperationObject {
  const { summary, params, query, headers, body, form } = endpoint
  const header = z.object(Object.fromEntries((headers ?? []).map(id => requestHeaders[id])))
  const requestParams = {
    ...(params ? { path: params } : {}),
    ...(query ? { query } : {}),
    ...(headers ? { header } : {}),
  }
  const scopes = scopesOf(endpoint)
  return {
    operationId: name,
    tags: [tagOf(endpoint).name],
    summary,
    description: descriptionOf(endpoint),
    security: securityOf(endpoint),
    // Key scopes are in an extension, because linters would take `scopes` of a scheme for those of OAuth.
    ...(scopes.length > 0 ? { 'x-key-scopes': scopes } : {}),
    ...(params || query || headers ? { requestParams } : {}),
    ...(body ? { requestBody: { content: contentOf(body, form) } } : {}),
    responses: responsesOf(endpoint),
  }
}

/**
 * Returns the key scopes that a row admits. Writing rows exclude on-call keys, because these keys may only read.
 */
function scopesOf(endpoint: Endpoint): readonly KeyScope[] {
  const { access, roles } = endpoint
  const { scopes } = credentials[access]
  if (isForAdminsOnly(endpoint)) return ['admin']
  return access === 'member' ? keyRoles.filter(role => roles?.includes(role)) : scopes
}

function contentOf(schema: z.ZodType, form: true | undefined) {
  const json = { 'application/json': { schema } }
  return form ? { ...json, 'application/x-www-form-urlencoded': { schema } } : json
}

function descriptionOf(endpoint: Endpoint): string {
  const sentences = [
    endpoint.description,
    credentials[endpoint.access].words,
    isSessionWrite(endpoint) && 'A write of a session takes its CSRF token as well.',
    endpoint.hosted && 'Exists only where hosted accounts are enabled.',
    endpoint.limited === false && 'Is not counted against the limit of requests.',
  ]
  return sentences.filter(Boolean).join(' ')
}

function isSessionWrite({ access, method }: Endpoint): boolean {
  return sessionAccesses.has(access) && method !== 'GET'
}

const sessionAccesses: ReadonlySet<Access> = new Set(['admin', 'operator', 'session', 'member'])
