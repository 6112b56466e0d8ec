import type { ErrorCode } from '../../../shared/contract/base/errors.ts'
import { limits } from '../../../shared/contract/base/limits.ts'
import { routeRequest } from '../../../shared/contract/examples/example-routes.ts'
import { asSuperuser } from '../../support/servers/superuser.ts'
import type { TestService } from '../../support/service/service.ts'
import type { Operation } from '../contract-document.ts'
import { type Asked, validRequest } from '../valid-request.ts'
import { give } from '../world.ts'
import type { Attempt, Stage, Way } from './way.ts'

const groups = ['support-leads', 'security', 'on-duty']

/** How to come to the errors that routes and groups have, as an operator and as an owner. */
export const routeErrorWays: Partial<Record<ErrorCode, Way>> = {
  route_not_found: (operation, stage) => ({ asked: named('none', operation, stage) }),
  group_not_found: (operation, stage) => {
    const asked = named('none', operation, stage)
    const body = { required: [{ group: 'none', approvals: 1 }] }
    return { asked: asked.body === null ? asked : { ...asked, body: JSON.stringify(body) } }
  },
  group_in_use: async (operation, stage) => {
    const asked = await inOwnTenant(operation, stage)
    await putRoute(stage, asked)
    return { asked: { ...asked, params: { ...asked.params, name: 'security' } } }
  },
  group_conflict: async (operation, stage) => {
    const asked = await inOwnTenant(operation, stage)
    const { tenant_id, name } = asked.params
    await asSuperuser(
      stage.world.service.database,
      `insert into action_gate.review_groups (tenant_id, name, members, of_organization)
       values ('${tenant_id}', '${name}', '[]', true)`,
    )
    return { asked }
  },
  too_many_routes: async (operation, stage) => {
    const asked = await inOwnTenant(operation, stage)
    await putRoute(stage, asked)
    await plantMany(stage, asked, {
      table: 'review_routes',
      column: 'route',
      most: limits.routes_per_tenant_max,
    })
    return { asked }
  },
  too_many_groups: async (operation, stage) => {
    const asked = await inOwnTenant(operation, stage)
    await plantMany(stage, asked, {
      table: 'review_groups',
      column: 'members',
      most: limits.groups_per_tenant_max,
    })
    return { asked }
  },
  not_on_route: offRoute([]),
  wrong_issuer: offRoute(['approver', 'owner'], 'https://id.example.org'),
  group_complete: offRoute(['approver', 'another', 'owner']),
}

/** What a request names must be there. */
export const routeWays: Readonly<Record<string, Readonly<Record<string, Way>>>> = {
  put_route: { 200: withGroups },
  put_owned_route: { 200: withGroups },
  delete_route: { 200: withRoute },
  delete_owned_route: { 200: withRoute },
  put_review_group: { 200: withMembers },
  put_owned_review_group: { 200: withMembers },
  delete_review_group: { 200: withSpareGroup },
  delete_owned_review_group: { 200: withSpareGroup },
  put_absence: { 200: withMembers },
  put_own_absence: { 200: withMembers },
  put_owned_absence: { 200: withMembers },
}

async function withGroups(operation: Operation, stage: Stage): Promise<Attempt> {
  const asked = await inOwnTenant(operation, stage)
  for (const group of groups) await put(stage, asked, `/groups/${group}`, { members: [] })
  return { asked }
}

async function withRoute(operation: Operation, stage: Stage): Promise<Attempt> {
  const asked = await inOwnTenant(operation, stage)
  await putRoute(stage, asked)
  return { asked }
}

async function withSpareGroup(operation: Operation, stage: Stage): Promise<Attempt> {
  const asked = await inOwnTenant(operation, stage)
  await put(stage, asked, '/groups/support-leads', { members: [] })
  return { asked }
}

/** Everybody named is a key of the tenant. */
async function withMembers(operation: Operation, stage: Stage): Promise<Attempt> {
  const isOwn = operation.operationId === 'put_own_absence'
  const asked = isOwn ? validRequest(operation, stage.world.known) : await inOwnTenant(operation, stage)
  const tenantId = isOwn ? stage.world.tenant.id : (asked.params.tenant_id ?? '')
  const [first, second] = [await mint(stage, tenantId, 'first'), await mint(stage, tenantId, 'second')]
  const [one, other] = [{ key_id: first.key_id }, { key_id: second.key_id }]
  const until = '2027-01-31T23:00:00.000Z'
  const bodies: Record<string, object> = {
    put_review_group: { members: [one, other] },
    put_owned_review_group: { members: [one, other] },
    put_absence: { absent: one, delegate: other, until },
  }
  const body = bodies[operation.operationId] ?? { delegate: other, until }
  return { asked: { ...asked, body: JSON.stringify(body) } }
}

/**
 * A decision about what is held on a route that takes one more of a group of nobody. Of the group of `people` the first has
 * approved.
 */
function offRoute(people: readonly ('approver' | 'another' | 'owner')[], issuer?: string): Way {
  return async (operation, stage) => {
    const { world } = stage
    const { known, service } = world
    const tenant = await service.tenant()
    const account = await accountOf(service, known.credentials.session)
    await give(service, account, tenant.id)
    const where = { params: { tenant_id: tenant.id } }
    const another = await mint(stage, tenant.id, 'another')
    const members = {
      approver: { key_id: tenant.approver.split('.')[0] },
      another: { key_id: another.key_id },
      owner: { account_id: account },
    }
    await put(stage, where, '/groups/some', { members: people.map(person => members[person]) })
    await put(stage, where, '/groups/none', { members: [] })
    const required = ['some', 'none'].map(group => ({ group, approvals: 1 }))
    await put(stage, where, '/routes/leads', { required })
    if (issuer !== undefined) await askFor(stage, tenant.id, issuer)
    const { action_id } = (await tenant.submit({ risk: 'high' })).body
    if (people.length > 0)
      await service.call('POST', `/v1/actions/${action_id}/approve`, { key: another.api_key, json: {} })
    const credentials = { ...known.credentials, approver: tenant.approver }
    const params = { tenant_id: tenant.id, action_id }
    return { asked: validRequest(operation, { ...known, credentials, ownParams: {}, params }) }
  }
}

/** Nobody signs in elsewhere at the service of these tests, which then lets no route ask for it. */
async function askFor({ world: { service } }: Stage, tenantId: string, issuer: string): Promise<void> {
  await asSuperuser(
    service.database,
    `update action_gate.review_routes set route = route || '{"issuer": "${issuer}"}' where tenant_id = '${tenantId}';
     update action_gate.tenants set rules_version = rules_version + 1 where tenant_id = '${tenantId}'`,
  )
}

function named(name: string, operation: Operation, { world: { known } }: Stage): Asked {
  const asked = validRequest(operation, known)
  return { ...asked, params: { ...asked.params, name } }
}

/** The request, of a tenant that nothing else uses and that the owner has. */
async function inOwnTenant(operation: Operation, stage: Stage): Promise<Asked> {
  const { known, service } = stage.world
  const { id: tenant_id } = await service.tenant()
  await give(service, await accountOf(service, known.credentials.session), tenant_id)
  const params = { tenant_id, name: 'support-leads' }
  return validRequest(operation, { ...known, ownParams: {}, params })
}

async function putRoute(stage: Stage, asked: Pick<Asked, 'params'>): Promise<void> {
  for (const group of groups) await put(stage, asked, `/groups/${group}`, { members: [] })
  await put(stage, asked, '/routes/support-leads', routeRequest)
  await put(stage, asked, '/routes/another', routeRequest)
}

async function put(
  { world: { service } }: Stage,
  { params }: Pick<Asked, 'params'>,
  path: string,
  json: object,
): Promise<void> {
  const whole = `/v1/tenants/${params.tenant_id}${path}`
  const { status, text } = await service.call('PUT', whole, { admin: service.admin, json })
  if (status !== 200) throw new Error(`${whole} answers ${status}: ${text}`)
}

/** So many of other names that there is no room. */
async function plantMany(
  { world: { service } }: Stage,
  { params }: Asked,
  { table, column, most }: { table: string; column: string; most: number },
): Promise<void> {
  await asSuperuser(
    service.database,
    `insert into action_gate.${table} (tenant_id, name, ${column})
     select '${params.tenant_id}', 'many-' || n, '[]' from generate_series(1, ${most}) n`,
  )
}

async function mint(
  { world: { service } }: Stage,
  tenantId: string,
  name: string,
): Promise<{ api_key: string; key_id: string }> {
  const { body } = await service.call<{ api_key: string; key: { key_id: string } }>(
    'POST',
    `/v1/tenants/${tenantId}/api-keys`,
    { admin: service.admin, json: { name, scope: 'approver' } },
  )
  return { api_key: body.api_key, key_id: body.key.key_id }
}

async function accountOf(service: TestService, session: string): Promise<string> {
  const headers = { cookie: `service_session=${session}` }
  const { body } = await service.call<{ account: { account_id: string } }>('GET', '/v1/accounts/session', {
    headers,
  })
  return body.account.account_id
}
