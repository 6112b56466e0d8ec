import type { publicEndpoints } from '../../shared/contract/endpoints/public-endpoints.ts'
import { keepCallback } from '../../shared/flow/execution/keep-callback.ts'
import { listPolicyTemplates } from '../../shared/flow/policy/policies.ts'
import { checkReadiness, readinessStatus, version } from '../../shared/flow/service/readiness.ts'
import { openApiOf, type PublicDocument, schemasOf } from '../../shared/flow/tenant/documents.ts'
import type { Handlers, Preferences } from './handler.ts'

const alive = async () => ({ status: 200, body: { status: 'ok', version } }) as const

/** Sends a document with a weak tag, because its compressed and plain forms share that tag. */
function sendOpenApi({ bytes, tag }: PublicDocument, { if_none_match }: Preferences) {
  const headers = { etag: `W/${tag}` }
  const isKnown = if_none_match.includes(tag) || if_none_match.includes('*')
  return isKnown
    ? ({ status: 304, body: null, headers } as const)
    : ({ status: 200, body: bytes, headers } as const)
}

export const publicHandlers: Handlers<typeof publicEndpoints> = {
  health: alive,
  health_v1: alive,
  async ready(context) {
    const readiness = await checkReadiness(context)
    return { status: readinessStatus(readiness), body: readiness }
  },
  async policy_templates() {
    return { status: 200, body: listPolicyTemplates() }
  },
  async callback(context, { params, body }) {
    await keepCallback(context, params.callback, body)
    return { status: 200, body: { status: 'taken' } }
  },
  async metrics(context) {
    return { status: 200, body: await context.events.registry.metrics() }
  },
  async openapi(context, { query, preferences }) {
    return sendOpenApi(await openApiOf(context, 'yaml', query.audience), preferences)
  },
  async openapi_json(context, { query, preferences }) {
    return sendOpenApi(await openApiOf(context, 'json', query.audience), preferences)
  },
  async json_schema(context, { params }) {
    return { status: 200, body: (await schemasOf(context))[params.name] }
  },
}
