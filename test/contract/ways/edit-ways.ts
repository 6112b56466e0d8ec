import type { JsonObject } from '../../../shared/contract/base/json.ts'
import type { TestService } from '../../support/service/service.ts'
import { plainPolicy, type TestTenant } from '../../support/service/tenant.ts'
import type { Operation } from '../contract-document.ts'
import { type Asked, validRequest } from '../valid-request.ts'
import { give, type World } from '../world.ts'
import { byOwnerThemselves, bySameHolder } from './quorum-ways.ts'
import type { Attempt, Way } from './way.ts'

/** Who edits: with an approver's key, or the owner of the tenant. */
type By = 'key' | 'owner'

/** How to come to the answers of an edit. */
export function editWays(by: By): Readonly<Record<string, Way>> {
  const shared = by === 'key' ? bySameHolder('agent') : byOwnerThemselves('agent')
  return {
    200: onHeldAction(by, 'payments', 'wait=10'),
    202: onHeldAction(by, 'slow', 'wait=0'),
    own_proposal: async (operation, stage) => {
      const { asked } = await shared(operation, stage)
      return { asked: await withOwnHash(asked, stage.world, { amount: 7 }) }
    },
    action_not_approvable: (operation, { world }) => ({ asked: validRequest(operation, world.known) }),
    proposal_mismatch: async (operation, { world }) => ({
      asked: onAction(by, { operation, world }, world.tenant, await world.held()),
    }),
    frozen: async (operation, { world }) => {
      const tenant = await ownTenant(world, {})
      const { body } = await tenant.submit({ risk: 'high' })
      const path = `/v1/tenants/${tenant.id}/freeze`
      const { service } = world
      await service.call('POST', path, { admin: service.admin, json: { reason: 'of a test' } })
      return { asked: onAction(by, { operation, world }, tenant, body.action_id) }
    },
    concurrent_change: async (operation, stage) => ({
      ...(await onHeldAction(by, 'payments', '')(operation, stage)),
      url: stage.refusing.overtaken,
    }),
    edit_denied: async (operation, { world }) => {
      const tenant = await ownTenant(world, {
        parameter_constraints: { crm: { read: { amount: { max: 50 } } } },
      })
      const { body } = await tenant.submit({ risk: 'high', parameters: { amount: 10 } })
      const asked = onAction(by, { operation, world }, tenant, body.action_id)
      return { asked: await withOwnHash(asked, world, { amount: 51 }) }
    },
  }
}

function onHeldAction(by: By, system: string, prefer: string): Way {
  return async (operation, { world }): Promise<Attempt> => {
    const asked = onAction(by, { operation, world }, world.tenant, await world.held(system))
    const { headers, ...rest } = await withOwnHash(asked, world, { amount: 7 })
    const preferring = prefer === '' ? {} : { prefer }
    return { asked: { headers: { ...headers, ...preferring }, ...rest } }
  }
}

/** A tenant whose owner is the account of the session. */
async function ownTenant({ service, known }: World, policy: object): Promise<TestTenant> {
  const tenant = await service.tenant({ policy: { ...plainPolicy, ...policy } })
  const headers = { cookie: `service_session=${known.credentials.session}` }
  const { body } = await service.call<{ account: { account_id: string } }>('GET', '/v1/accounts/session', {
    headers,
  })
  await give(service, body.account.account_id, tenant.id)
  return tenant
}

function onAction(
  by: By,
  { operation, world: { known } }: { operation: Operation; world: World },
  { id, approver }: TestTenant,
  action_id: string,
): Asked {
  const credentials = by === 'key' ? { ...known.credentials, approver } : known.credentials
  const params = by === 'key' ? { action_id } : { tenant_id: id, action_id }
  return { ...validRequest(operation, { ...known, credentials, params }), params }
}

/** With the hash of what the action holds. */
async function withOwnHash(asked: Asked, { service }: World, parameters: JsonObject): Promise<Asked> {
  const proposal_hash = await hashOf(service, asked.params.action_id ?? '')
  return { ...asked, body: JSON.stringify({ parameters, proposal_hash }) }
}

async function hashOf({ context }: TestService, actionId: string): Promise<string> {
  const text = 'select proposal_hash from actions where action_id = $1'
  const rows = await context.store.read('all', reader =>
    reader.query<{ proposal_hash: string }>('', text, [actionId]),
  )
  return rows[0]?.proposal_hash ?? ''
}
