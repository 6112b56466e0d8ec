import type { publicEndpoints } from '../../shared/contract/endpoints/public-endpoints.ts'
import { documentsOf } from '../../shared/flow/documents.ts'
import { listPolicyTemplates } from '../../shared/flow/policies.ts'
import { checkReadiness, readinessStatus, version } from '../../shared/flow/readiness.ts'
import type { Handlers } from './handler.ts'

const alive = async () => ({ status: 200, body: { status: 'ok', version } }) as const

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
  async metrics(context) {
    return { status: 200, body: await context.events.registry.metrics() }
  },
  async openapi(context) {
    return { status: 200, body: (await documentsOf(context)).openapi }
  },
  async json_schema(context, { params }) {
    return { status: 200, body: (await documentsOf(context)).schemas[params.name] }
  },
}
