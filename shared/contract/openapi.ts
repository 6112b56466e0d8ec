import { stringify } from 'yaml'
import { z } from 'zod'
import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiPathsObject } from 'zod-openapi'
import type { Access, Endpoint } from './endpoints/endpoint.ts'
import { endpoints } from './endpoints/endpoints.ts'
import { type OpenApiDocument, withExamples } from './openapi-examples.ts'
import { requestHeaders } from './openapi-headers.ts'
import { problemResponses, responsesOf } from './openapi-responses.ts'

export interface OpenApiOptions {
  /** Of the service. */
  version: string
  /** Where the service is reached; empty: where the document came from. */
  base_url: string
}

/** The OpenAPI document (specification section 9) as YAML. */
export function openApiYaml(options: OpenApiOptions): string {
  return stringify(openApiDocument(options), {
    aliasDuplicateObjects: false,
    lineWidth: 0,
    compat: 'yaml-1.1',
  })
}

/** The OpenAPI 3.1 document of the endpoint table. */
export function openApiDocument({ version, base_url }: OpenApiOptions): OpenApiDocument {
  const rows: Readonly<Record<string, Endpoint>> = endpoints
  const document = createDocument(
    {
      openapi: '3.1.1',
      info: { title: 'Action Gate', version, description, license },
      servers: [{ url: base_url || '/', description: 'This service.' }],
      tags: [
        ...new Set(Object.values(rows).map(({ access, hosted }) => (hosted ? hostedTag : groups[access]))),
      ],
      paths: pathsOf(rows),
      components: { securitySchemes, responses: problemResponses(Object.values(rows)) },
    },
    { allowEmptySchema: { custom: true } },
  )
  return withExamples(document)
}

const license = { name: 'Apache-2.0', identifier: 'Apache-2.0' }
const description = [
  'A security boundary for AI agents: decide, approve, execute durably, prove.',
  'An agent submits a proposal before it changes any external system. The service decides, routes for approval, executes through a registered actuator and records an append-only, Merkle-rooted trace.',
  'Errors are `application/problem+json` (RFC 9457) with a stable `code`. A path that is not listed is 404, a listed one with another method 405 with `Allow`.',
  'JSON is read strictly: names given twice, the name `__proto__`, numbers that a double cannot hold, lone surrogates and U+0000 are refused with 400, and so are fields that are not listed. Lengths of strings count code points.',
  'A policy outcome is no error: a denial is 200 with `denied` and `blocking_reasons`.',
].join('\n\n')

const securitySchemes = {
  bearer: { type: 'http', scheme: 'bearer', description: 'Agent or approver key, `<key_id>.<secret>`.' },
  service_api_key: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Service-API-Key',
    description: 'Agent or approver key, as an alternative to the bearer scheme.',
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
  session: hostedTag,
}

/** The scopes that a key must have stand as roles. */
const security: Readonly<Record<Access, Record<string, string[]>[]>> = {
  none: [],
  agent: tenantKeys('agent'),
  approver: tenantKeys('approver'),
  agent_or_approver: tenantKeys('agent', 'approver'),
  admin: [{ service_admin_key: ['admin'] }],
  session: [{ session: [] }],
}

function tenantKeys(...roles: string[]): Record<string, string[]>[] {
  return [{ bearer: roles }, { service_api_key: roles }]
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
  const { access, summary, description, params, query, headers, body } = endpoint
  const header = z.object(Object.fromEntries((headers ?? []).map(id => requestHeaders[id])))
  const requestParams = {
    ...(params ? { path: params } : {}),
    ...(query ? { query } : {}),
    ...(headers ? { header } : {}),
  }
  return {
    operationId: name,
    tags: [endpoint.hosted ? hostedTag.name : groups[access].name],
    summary,
    ...(description ? { description } : {}),
    security:
      access === 'session' && endpoint.method !== 'GET' ? [{ session: [], csrf: [] }] : security[access],
    ...(params || query || headers ? { requestParams } : {}),
    ...(body ? { requestBody: { content: { 'application/json': { schema: body } } } } : {}),
    responses: responsesOf(endpoint),
  }
}
