import type { ErrorCode } from '../../../shared/contract/base/errors.ts'
import { limits } from '../../../shared/contract/base/limits.ts'
import { grantRequest } from '../../../shared/contract/examples/example-grants.ts'
import { examplePolicy } from '../../../shared/contract/examples/example-policy.ts'
import { asSuperuser } from '../../support/servers/superuser.ts'
import type { Operation } from '../contract-document.ts'
import { type Asked, validRequest } from '../valid-request.ts'
import { give } from '../world.ts'
import type { Stage, Way } from './way.ts'

/** How to come to the errors that grants have, as an operator and as an owner. */
export const grantErrorWays: Partial<Record<ErrorCode, Way>> = {
  grant_not_found: (operation, { world: { known } }) => ({ asked: validRequest(operation, known) }),
  grant_not_proved: async (operation, stage) => {
    const { asked } = await inOwnTenant(operation, stage)
    const json = JSON.parse(String(asked.body)) as object
    return { asked: { ...asked, body: JSON.stringify({ ...json, operation: 'payout' }) } }
  },
  too_many_grants: async (operation, stage) => {
    const { asked } = await inOwnTenant(operation, stage)
    await asSuperuser(
      stage.world.service.database,
      `insert into action_gate.bounded_grants
         (tenant_id, grant_id, clause, clause_hash, uses_max, ends_at, note, author, created_at)
       select '${asked.params.tenant_id}', 'grt_' || n, '{"constraints": {}}', '', 1, now() + interval '1 day', '', '{}', now()
       from generate_series(1, ${limits.grants_per_tenant_max}) n`,
    )
    return { asked }
  },
}

const making: Readonly<Record<string, Way>> = {
  201: (operation, stage) => inOwnTenant(operation, stage),
  concurrent_change: async (operation, stage) => ({
    ...(await inOwnTenant(operation, stage)),
    url: stage.refusing.overtaken,
  }),
  too_many_proofs: async (operation, stage) => ({
    ...(await inOwnTenant(operation, stage)),
    url: stage.refusing.proving,
  }),
}

const revoking: Readonly<Record<string, Way>> = {
  200: async (operation, stage) => {
    const { asked, key_id } = await inOwnTenant(operation, stage)
    const { service } = stage.world
    const path = `/v1/tenants/${asked.params.tenant_id}/grants`
    const json = requestOf(key_id)
    const made = await service.call<{ grant_id: string }>('POST', path, { admin: service.admin, json })
    return { asked: { ...asked, params: { ...asked.params, grant_id: made.body.grant_id } } }
  },
}

/** What is granted is of a key of the tenant, and ends later than now. */
export const grantWays: Readonly<Record<string, Readonly<Record<string, Way>>>> = {
  make_grant: making,
  make_owned_grant: making,
  revoke_grant: revoking,
  revoke_owned_grant: revoking,
}

function requestOf(key_id: string): object {
  return { ...grantRequest, key_id, ends_at: new Date(Date.now() + 3_600_000).toISOString() }
}

/** The request, of a tenant that nothing else uses and that the owner has. */
async function inOwnTenant(
  operation: Operation,
  { world: { known, service } }: Stage,
): Promise<{ asked: Asked; key_id: string }> {
  const tenant = await service.tenant({ policy: examplePolicy })
  const headers = { cookie: `service_session=${known.credentials.session}` }
  const { body } = await service.call<{ account: { account_id: string } }>('GET', '/v1/accounts/session', {
    headers,
  })
  await give(service, body.account.account_id, tenant.id)
  const params = { tenant_id: tenant.id, grant_id: 'grt_none' }
  const asked = validRequest(operation, { ...known, ownParams: {}, params })
  const key_id = String(tenant.agent.split('.')[0])
  const isMade = operation.operationId.startsWith('make')
  return { asked: isMade ? { ...asked, body: JSON.stringify(requestOf(key_id)) } : asked, key_id }
}
