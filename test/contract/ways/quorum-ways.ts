import { asSuperuser } from '../../support/servers/superuser.ts'
import type { TestService } from '../../support/service/service.ts'
import { plainPolicy } from '../../support/service/tenant.ts'
import { validRequest } from '../valid-request.ts'
import { give } from '../world.ts'
import type { Way } from './way.ts'

/** An approval of several by a key whose holder approved before, or proposed. */
export function bySameHolder(other: 'approver' | 'agent'): Way {
  return async (operation, { world: { known, service } }) => {
    const tenant = await service.tenant({ policy: { ...plainPolicy, approvals_required: 2 } })
    await haveHolder(service, 'name:one', tenant[other])
    const { api_key } = await mint(service, tenant.id)
    await haveHolder(service, 'name:one', api_key)
    const { action_id } = (await tenant.submit({ risk: 'high' })).body
    if (other === 'approver') await tenant.approve(action_id)
    const credentials = { ...known.credentials, approver: api_key }
    return { asked: validRequest(operation, { ...known, credentials, params: { action_id } }) }
  }
}

/** The same by the owner, who holds the other key. */
export function byOwnerThemselves(other: 'approver' | 'agent'): Way {
  return async (operation, { world: { known, service } }) => {
    const tenant = await service.tenant({ policy: { ...plainPolicy, approvals_required: 2 } })
    const account = await accountOf(service, known.credentials.session)
    await give(service, account, tenant.id)
    await haveHolder(service, `account:${account}`, tenant[other])
    const { action_id } = (await tenant.submit({ risk: 'high' })).body
    if (other === 'approver') await tenant.approve(action_id)
    return { asked: { ...validRequest(operation, known), params: { tenant_id: tenant.id, action_id } } }
  }
}

async function haveHolder({ database }: TestService, holder: string, key: string): Promise<void> {
  const update = `update action_gate.api_keys set holder = '${holder}' where key_id = '${key.split('.')[0]}'`
  await asSuperuser(database, update)
}

async function mint(service: TestService, tenantId: string): Promise<{ api_key: string }> {
  const json = { name: 'another', scope: 'approver' }
  const path = `/v1/tenants/${tenantId}/api-keys`
  return (await service.call<{ api_key: string }>('POST', path, { admin: service.admin, json })).body
}

async function accountOf(service: TestService, session: string): Promise<string> {
  const headers = { cookie: `service_session=${session}` }
  const { body } = await service.call<{ account: { account_id: string } }>('GET', '/v1/accounts/session', {
    headers,
  })
  return body.account.account_id
}
