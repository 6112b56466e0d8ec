import { integrationSchema } from '../action/integration.ts'
import type { Endpoint } from './endpoint.ts'

export const integrationEndpoints = {
  integration: {
    method: 'GET',
    path: '/v1/integration',
    access: 'agent_or_approver',
    proves: 'uncounted',
    summary: 'Where to call, an example proposal derived from the policy, and code that runs.',
    answers: { 200: { description: 'The integration bundle of this key.', body: integrationSchema } },
    errors: ['tenant_not_found'],
  },
} as const satisfies Record<string, Endpoint>
