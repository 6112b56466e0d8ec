import type { Problem } from '../../../shared/contract/base/errors.ts'
import type { GrantRequest, MadeGrant } from '../../../shared/contract/configuration/grant-schema.ts'
import type { Answer } from './http.ts'
import type { TestService } from './service.ts'
import type { TestTenant } from './tenant.ts'

/** Asks for a grant of the agent of a tenant: reads of `crm` of any risk, once, for an hour. */
export function askForGrant(
  { call, admin }: Pick<TestService, 'call' | 'admin'>,
  { id, agent }: Pick<TestTenant, 'id' | 'agent'>,
  change: Partial<GrantRequest> & Pick<GrantRequest, 'constraints'>,
): Promise<Answer<MadeGrant & Omit<Problem, 'status'>>> {
  const json = {
    key_id: agent.split('.')[0],
    system: 'crm',
    operation: 'read',
    risk_max: 'high',
    uses_max: 1,
    ends_at: new Date(Date.now() + 3_600_000).toISOString(),
    note: 'of a test',
    ...change,
  }
  return call('POST', `/v1/tenants/${id}/grants`, { admin, json })
}
